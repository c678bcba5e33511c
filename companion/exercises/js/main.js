// mount(element, spec) fills the element and returns what clears it again.

function mount(el, spec, options) {
  if (spec.kind === "progress") return mountProgress(el, spec);
  if (spec.kind === "chapter-progress") return mountChapterProgress(el, spec);
  return mountExercise(el, spec, options);
}

export default {
  mount,
  grade,
  store,
  render: ({ model, el }) => mount(el, model.get("spec"), { notebook: true }),
};
