"""Exercises that grade themselves, on the page and in the notebook. ::

    exercise("ch01-output")           the widget
    ids()                             every exercise
    check("ch05-causal-batch", fn)    runs a code exercise's function on generated cases

Authors write specs in ``companion/exercises/bank/chNN.py``, a list ``EXERCISES``::

    from companion.exercises.kinds import Choice, Mistake, Right, Vector, Wrong
    from companion.reference import weighted_sum

    EXERCISES = [
        Vector(
            id="ch01-output", title="The output, by hand", difficulty=1, minutes=3,
            prompt=r"$\\mathbf{v}_0 = <<V[0]>>$, ... with weights <<alpha>>. What is $\\mathbf{o}$?",
            data={"alpha": [0.1, 0.6, 0.3], "V": [[1, 2], [3, 0], [4, 5]]},
            vary=lambda rng: {"alpha": ..., "V": rng.integers(0, 6, (3, 2))},
            answer=lambda d: weighted_sum(d.alpha, d.V),
            mistakes=(Mistake("plain mean", lambda d: d.V.mean(0), "<<value>> is the plain mean: ..."),),
            why="Each value counts as much as its weight.",
            hints=("Multiply each value by its weight first.",),
            solution=r"$<<alpha[0]>> \\cdot <<V[0]>> + ... = <<answer>>$",
        ),
    ]

Every kind takes ``id, title, prompt, solution, why, difficulty, minutes`` and may take
``hints, otherwise, data, derive, version``. What each adds is in its class's docstring, in
``companion.exercises.kinds``: ``Choice``, ``Choices``, ``Number``, ``Vector``,
``PickTokens``, ``PickTerms``, ``Order``, ``Explain``, ``Code``. Texts are plain text, ```code```,
``$maths$`` and ``<<name>>`` for data (``companion.exercises.text``). In texts, ``<<answer>>`` is the
right answer and, in a mistake's message, ``<<value>>`` what the mistake gives. Answers and mistakes are
values or functions of the data; compute them with `companion.reference`.
A bad spec raises ValueError when it is made, naming exercise and field.
"""

__all__ = ["check", "exercise", "ids"]


def exercise(id):
    """The widget of the exercise called ``id``; its output carries the page's mount too.

    Raises KeyError, with the names of the chapter's exercises, when there is none.
    """
    from companion.exercises.bank import find
    from companion.exercises.widget import ExerciseWidget

    return ExerciseWidget(find(id))


def ids():
    """The ids of all exercises, in the book's order."""
    from companion.exercises.bank import chapters, load

    return [id for chapter in chapters() for id in load(chapter)]


def check(id, function):
    """Run ``function`` on the cases of the code exercise ``id``; returns a Verdict to be shown.

    It never raises for what ``function`` does, and stops it when it does not end.
    Raises KeyError for an unknown id, TypeError when ``id`` is no code exercise or ``function`` not callable.
    """
    from companion.exercises.bank import find
    from companion.exercises.checker import verdict

    return verdict(find(id), function)
