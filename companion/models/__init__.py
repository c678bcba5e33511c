"""A small language model trained on a novel, with its weights and its text: what the chapters measure."""
