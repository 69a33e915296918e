"""The examples in the docstrings run, and everything public has a docstring."""

import doctest
import importlib
import inspect

import pytest
import throng

MODULES = ["throng", "throng.lab", "throng.envs"]


def documented(module):
    """Returns name and docstring of a module, and of the functions, classes and methods that it lists."""
    yield module.__name__, module.__doc__
    for name in module.__all__:
        thing = getattr(module, name)
        if not callable(thing):
            continue
        yield name, inspect.getdoc(thing)
        if isinstance(thing, type):
            for member, value in vars(thing).items():
                if not member.startswith("_"):
                    yield f"{name}.{member}", inspect.getdoc(value)


def groups():
    """Returns the docstrings by class or function, because later examples of a class use the names of earlier ones."""
    found = {}
    for name in MODULES:
        module = importlib.import_module(name)
        for path, text in documented(module):
            key = f"{name}:{path.split('.')[0] if path != name else ''}"
            found.setdefault(key, []).append((path, text))
    return found


GROUPS = groups()


@pytest.mark.parametrize("group", GROUPS)
def test_docstrings(group):
    names = {"throng": throng}
    runner = doctest.DocTestRunner(verbose=False)
    problems = []
    for path, text in GROUPS[group]:
        assert text and text.strip(), f"{path} has no docstring"
        test = doctest.DocTestParser().get_doctest(text, names, path, None, 0)
        runner.run(test, out=problems.append, clear_globs=False)
        names = test.globs
    assert not problems, "".join(problems)


def test_there_are_examples():
    texts = [text for group in GROUPS.values() for _, text in group]
    assert sum(text.count(">>> ") for text in texts) >= 40
