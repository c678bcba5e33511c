"""One exercise of every kind, for the tests: plain data, and texts that try to break out."""

import numpy as np

from companion.exercises.kinds import (
    Choice,
    Choices,
    Code,
    CodeMistake,
    Explain,
    Mistake,
    Number,
    Order,
    PickTerms,
    PickTokens,
    Right,
    Vector,
    Wrong,
)


def weighted_sum(d):
    return d.alpha @ d.V


def fresh_sum(rng):
    alpha = rng.permutation([0.1, 0.2, 0.7]) if rng.random() < 0.5 else rng.permutation([0.2, 0.3, 0.5])
    return {"alpha": alpha, "V": rng.integers(-3, 7, (3, 2))}


EXERCISES = [
    Choice(
        id="demo-choice",
        title="Which token counts most",
        prompt=r"The weights are $\alpha_0 = 0.1$, $\alpha_1 = 0.6$, $\alpha_2 = 0.3$. "
        r"To which value is $\mathbf{o}$ most sensitive?",
        options=(
            Wrong(r"$\mathbf{v}_0$", r"$\mathbf{v}_0$ has the smallest weight."),
            Right(r"$\mathbf{v}_1$"),
            Wrong("the longest, whatever its weight", "Length counts for deletion, not for sensitivity."),
        ),
        why="A small change of one value moves the output by its weight.",
        hints=("Which weight is the largest?", "Sensitivity is a derivative."),
        solution=r"$\partial \mathbf{o} / \partial \mathbf{v}_j = \alpha_j$, and $\alpha_1$ is the largest.",
        difficulty=1,
        minutes=1,
    ),
    Choices(
        id="demo-choices",
        title="What always holds",
        prompt="Which of these hold for every attention output?",
        options=(
            Right("it lies in the convex hull of the values"),
            Wrong("it is one of the values", "Only when one weight is 1."),
            Right("no coordinate passes the largest of the values"),
            Wrong(
                "it changes when two equal values swap",
                "Equal values with swapped weights give the same sum.",
            ),
        ),
        why="Weights that are not negative and sum to 1 give a convex combination.",
        solution="An average stays inside.",
        difficulty=2,
        minutes=2,
    ),
    Number(
        id="demo-number",
        title="The leak",
        prompt="Scores 1, 2, 3; the future score is 0 instead of left out. What weight leaks to the future?",
        answer=lambda d: np.exp(0) / np.exp([0, 1, 2, 3]).sum(),
        tolerance=0.002,
        mistakes=(
            Mistake("thought a score of 0 weighs nothing", 0, "Only a score of $-\\infty$ weighs nothing."),
        ),
        why="$e^0 = 1$ stands in the denominator.",
        hints=("What is $e^0$?",),
        solution=r"$\frac{e^0}{e^0 + e^1 + e^2 + e^3} = <<answer>>$",
        label="Leaked weight",
        difficulty=2,
        minutes=3,
    ),
    Vector(
        id="demo-vector",
        title="The output, by hand",
        prompt=r"The rows of $\mathbf{V} = <<V>>$ are values, with weights <<alpha>>. What is $\mathbf{o}$?",
        data={"alpha": [0.1, 0.6, 0.3], "V": [[1, 2], [3, 0], [4, 5]]},
        vary=fresh_sum,
        answer=weighted_sum,
        mistakes=(
            Mistake(
                "plain mean",
                lambda d: d.V.mean(0),
                "<<value:.2f>> is the plain mean: the weights were ignored.",
            ),
            Mistake(
                "took the winner",
                lambda d: d.V[np.argmax(d.alpha)],
                r"<<value>> is the value of the largest weight alone; attention averages.",
            ),
        ),
        why="Each value counts as much as its weight.",
        hints=("Multiply each row by its weight first.", "Then add the rows, one coordinate at a time."),
        solution=r"$<<alpha[0]>> \cdot <<V[0]>> + <<alpha[1]>> \cdot <<V[1]>> "
        r"+ <<alpha[2]>> \cdot <<V[2]>> = <<answer>>$",
        label=r"$\mathbf{o}$",
        difficulty=1,
        minutes=3,
    ),
    PickTokens(
        id="demo-tokens",
        title="A window of three",
        prompt="Token 5 attends with a sliding window of 3, itself included. Which positions are in $G$?",
        tokens=("The", "cat", "sat", "on", "the", "mat", "today"),
        answer={3, 4, 5},
        mistakes=(
            Mistake("one too many", {2, 3, 4, 5}, "That is a window of 4: the token itself counts."),
            Mistake("lost itself", {2, 3, 4}, "The token attends to itself too."),
        ),
        why=r"$i - w < j \le i$ gives three positions, its own among them.",
        hints=("The token itself is one of the three.",),
        solution="<<answer>>",
        difficulty=1,
        minutes=1,
    ),
    PickTokens(
        id="demo-grid",
        title="A causal mask",
        prompt="Mark what each of three tokens may attend to under the causal rule.",
        tokens=3,
        rows=3,
        answer=lambda d: [{0}, {0, 1}, {0, 1, 2}],
        mistakes=(
            Mistake("upper triangle", [{0, 1, 2}, {1, 2}, {2}], "That is the future: rows are queries."),
            Mistake("left itself out", [set(), {0}, {0, 1}], "A token attends to itself too."),
        ),
        why="Row $i$ holds 0 to $i$.",
        solution="The lower triangle, diagonal included.",
        difficulty=1,
        minutes=2,
    ),
    PickTerms(
        id="demo-terms",
        title="The term that must not be there",
        prompt="The output at position 2 is computed as below. Click the term that breaks the rule.",
        lead=r"$\mathbf{o}_2 =$",
        terms=(
            r"$0.1\,\mathbf{v}_0$",
            r"$0.2\,\mathbf{v}_1$",
            r"$0.6\,\mathbf{v}_2$",
            r"$0.1\,\mathbf{v}_3$",
        ),
        answer={3},
        mistakes=(
            Mistake("its own value", {2}, "A token may attend to itself: position 2 is not the future."),
        ),
        why="Position 3 comes after position 2.",
        hints=("Which positions may position 2 see?",),
        solution=r"$0.1\,\mathbf{v}_3$: the mask belongs before the softmax.",
        difficulty=1,
        minutes=2,
    ),
    Order(
        id="demo-order",
        title="Masked attention, step by step",
        prompt="Put the steps in order.",
        items=(
            r"scores $q \cdot k_j$",
            "scale by $1/\\sqrt{D}$",
            r"mask the future with $-\infty$",
            "softmax",
            "weighted sum",
        ),
        also=((0, 2, 1, 3, 4),),
        mistakes=(
            Mistake(
                "masked too late",
                (0, 1, 3, 2, 4),
                "Masked after the softmax, the weights sum to less than 1.",
            ),
        ),
        why="The mask comes before the softmax, so that the weights sum to 1.",
        hints=("What must sum to 1, and when?",),
        solution="Scores, scale, mask, softmax, sum.",
        difficulty=2,
        minutes=2,
    ),
    Explain(
        id="demo-explain",
        title="Why not look ahead",
        prompt="Why must an autoregressive model not attend to the future while it trains?",
        rubric=("the target is the next token", "reading it makes the loss useless at generation"),
        hints=("What is the model asked to predict?",),
        solution="Because the next token is the target: a model that reads it learns to copy, "
        "and has nothing to copy later.",
        difficulty=2,
        minutes=5,
    ),
    Code(
        id="demo-code",
        title="A weighted sum",
        prompt="Write `weighted_sum(alpha, V)` for weights `(n,)` and values `(n, d)`.",
        stub="def weighted_sum(alpha, V):\n    # The sum of alpha[j] V[j]\n    raise NotImplementedError\n",
        code="def weighted_sum(alpha, V):\n    return alpha @ V\n",
        inputs=lambda rng, size: (rng.dirichlet(np.ones(size)), rng.normal(size=(size, 3))),
        mistakes=(
            CodeMistake(
                "plain mean",
                "def weighted_sum(alpha, V):\n    return V.mean(0)\n",
                "The weights were ignored.",
            ),
            CodeMistake(
                "winner",
                "def weighted_sum(alpha, V):\n    return V[alpha.argmax()]\n",
                "Only the value of the largest weight was taken.",
            ),
            CodeMistake(
                "forgot the last",
                "def weighted_sum(alpha, V):\n    return alpha[:-1] @ V[:-1]\n",
                "The last position was left out.",
            ),
        ),
        why="Every case agrees.",
        hints=("A row times a matrix.",),
        solution="A row times a matrix is the sum of its rows, weighted.",
        difficulty=1,
        minutes=5,
    ),
    Choice(
        id="demo-hostile",
        title='A "title" with <b>, </script> & $x < y$',
        prompt="Shown as it is: <b>bold</b> </script><script>window.broken = 1</script> \\$5 & 'quotes' "
        '`a < b && c` <img src=x onerror="window.broken=1"> \u4f60\u597d \u0645\u0631\u062d\u0628\u0627 '
        "\U0001f600\n\nSecond paragraph.",
        options=(
            Right("<i>this</i>"),
            Wrong("</script><script>window.broken = 1</script>", "<b>not</b> this"),
        ),
        why='"<u>right</u>"',
        solution="<s>none</s>",
        difficulty=3,
        minutes=1,
    ),
]
