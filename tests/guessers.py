"""Ways to choose an option without knowing anything: what they score shows what questions give away."""

import re

import numpy as np

_YEAR = re.compile(r"(?<![^ (])[Ii]n -?\d+, ")
_NUMBER = re.compile(r"-?\d+(?:,\d{3})*(?:\.\d+)?")


class Read:
    """The options of questions of one kind, as a guesser reads them: arrays (questions, options, ...)."""

    def __init__(self, kind, options):
        count = {"window": 5, "minmax": 2}.get(kind, 1)  # what follows is the unit's
        self.texts = [list(row) for row in options]
        bare = [[_YEAR.sub("", text) for text in row] for row in self.texts]
        self.words = [[_NUMBER.findall(text)[:count] for text in row] for row in bare]
        self.numbers = np.array([[[float(n.replace(",", "")) for n in o] for o in row] for row in self.words])
        self.sizes = self.numbers.sum(axis=2)

    def each(self, measure):
        """``measure`` of the words (numbers as written) of each option."""
        return np.array([[measure(option) for option in row] for row in self.words], dtype=float)


def _zeros(word):
    plain = word.replace(",", "")
    shown = plain.rstrip("0").rstrip(".") if "." in plain else plain
    return len(plain) - len(plain.rstrip("0")) if "." not in plain else len(plain) - len(shown)


def _gaps(sizes):
    """The distance of each option to its nearest neighbour."""
    apart = np.abs(sizes[:, :, None] - sizes[:, None, :]).astype(float)
    apart[:, range(sizes.shape[1]), range(sizes.shape[1])] = np.inf
    return apart.min(axis=2)


def _shared(option, others):
    return sum(a == b for other in others for a, b in zip(option, other, strict=False))


def _likeness(read):
    joined = [["".join(option) for option in row] for row in read.words]
    return np.array([[_shared(o, row) for o in row] for row in joined], dtype=float)


def _roughness(numbers):
    """How unevenly a sequence runs: the sum of its second differences."""
    return np.abs(np.diff(numbers, n=2, axis=2)).sum(axis=2)


def _mean(sizes):
    return np.abs(sizes - sizes.mean(axis=1, keepdims=True))


def _first_digit(option):
    return int(re.search("[1-9]", "".join(option) + "9")[0])


def _last_digit(option):
    return int("".join(option)[-1])


def _edge(read):
    """How far into its decade each option's largest number lies, from 0 to 1."""
    return np.log10(np.maximum(np.abs(read.numbers).max(axis=2), 1e-30)) % 1


# Each gives a score to each option; the highest is chosen, at random among equals.
NUMBERS = {
    "largest": lambda r: r.sizes,
    "smallest": lambda r: -r.sizes,
    "second largest": lambda r: -np.abs(np.argsort(np.argsort(r.sizes, axis=1), axis=1) - 2),
    "second smallest": lambda r: -np.abs(np.argsort(np.argsort(r.sizes, axis=1), axis=1) - 1),
    "in the middle": lambda r: -np.abs(np.argsort(np.argsort(r.sizes, axis=1), axis=1) - 1.5),
    "largest magnitude": lambda r: np.abs(r.numbers).max(axis=2),
    "roundest": lambda r: r.each(lambda option: sum(map(_zeros, option))),
    "least round": lambda r: -r.each(lambda option: sum(map(_zeros, option))),
    "fewest digits that are not zero": lambda r: -r.each(lambda o: sum(c in "123456789" for c in "".join(o))),
    "ends in 0 or 5": lambda r: r.each(lambda option: sum(word[-1] in "05" for word in option)),
    "most digits": lambda r: r.each(lambda option: sum(map(str.isdigit, "".join(option)))),
    "fewest digits": lambda r: -r.each(lambda option: sum(map(str.isdigit, "".join(option)))),
    "longest text": lambda r: np.array([[len(text) for text in row] for row in r.texts], float),
    "shortest text": lambda r: -np.array([[len(text) for text in row] for row in r.texts], float),
    "closest to the mean": lambda r: -_mean(r.sizes),
    "farthest from the mean": lambda r: _mean(r.sizes),
    "closest to the geometric mean": lambda r: -_mean(np.log(np.maximum(np.abs(r.sizes), 1e-300))),
    "odd one out": lambda r: _gaps(r.sizes),
    "with the nearest neighbour": lambda r: -_gaps(r.sizes),
    "most like the others": _likeness,
    "least like the others": lambda r: -_likeness(r),
    "lowest first digit": lambda r: -r.each(_first_digit),
    "highest first digit": lambda r: r.each(_first_digit),
    "lowest last digit": lambda r: -r.each(_last_digit),
    "highest last digit": lambda r: r.each(_last_digit),
    "low in its decade": lambda r: -_edge(r),
    "high in its decade": lambda r: _edge(r),
    "amid its decade": lambda r: -np.abs(_edge(r) - 0.5),
    "positive": lambda r: (r.sizes > 0).astype(float),
    "negative": lambda r: (r.sizes < 0).astype(float),
}
SEQUENCES = {
    "smoothest": lambda r: -_roughness(r.numbers),
    "roughest": lambda r: _roughness(r.numbers),
    "smoothest in ratios": lambda r: -_roughness(np.log(np.maximum(np.abs(r.numbers), 1e-300))),
    "largest rise": lambda r: r.numbers[:, :, -1] - r.numbers[:, :, 0],
    "largest ratio": lambda r: np.abs(r.numbers[:, :, -1]) / np.maximum(np.abs(r.numbers[:, :, 0]), 1e-300),
    "smallest ratio": lambda r: -np.abs(r.numbers[:, :, -1]) / np.maximum(np.abs(r.numbers[:, :, 0]), 1e-300),
    "most repeats": lambda r: r.each(lambda option: -len(set(option))),
}


def guessers(kind):
    """Those that make sense for a kind, by name."""
    return NUMBERS | (SEQUENCES if kind in ("window", "minmax") else {})


def scores(scored, right):
    """What choosing the highest earns on each question: 1, or its share among equals, or nothing."""
    highest = scored.max(axis=1, keepdims=True)
    best = scored >= highest - 1e-9 * np.maximum(np.abs(highest), 1e-12)
    return best[np.arange(len(right)), right] / best.sum(axis=1)


def beyond_chance(earned, chance):
    """By how many standard errors the mean lies from chance; 0 where nothing is decided."""
    away = np.asarray(earned) - chance
    spread = away.std() / np.sqrt(len(away))
    return 0.0 if spread == 0 and abs(away.mean()) < 1e-12 else away.mean() / max(spread, 1e-12)
