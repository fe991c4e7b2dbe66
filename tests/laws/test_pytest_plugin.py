"""The pytest plugin: laws on request, and nothing at all otherwise."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.slow

pytest_plugins = "pytester"

OPTION = ("--accountant-plugin", "response")


def test_without_the_option_nothing_is_collected_and_nothing_heavy_is_loaded(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import sys

        def test_nothing_is_loaded():
            loaded = {name for name in sys.modules if name.startswith("accountant")}
            assert loaded <= {"accountant", "accountant._lazy", "accountant.testing", "accountant.testing.pytest_plugin"}
            assert "accountant.testing.pytest_plugin" in loaded
            assert not {"numpy", "scipy"} & set(sys.modules)
        """
    )
    pytester.runpytest_subprocess().assert_outcomes(passed=1)


def test_items_have_readable_names_and_the_option_may_be_repeated(pytester: pytest.Pytester) -> None:
    listed = pytester.runpytest_subprocess(*OPTION, "--accountant-plugin", "pure", "--collect-only", "-q").stdout.str()
    assert "accountant-plugin response::law[written and read is equal][response: randomised-response 1]" in listed
    assert "law[items are documented][response: mechanism randomised-response]" in listed
    assert "law[parameters come back][pure: pure 0.5]" in listed
    assert "noise: " not in listed


def test_laws_run_alone_without_paths_and_beside_tests_with_them(pytester: pytest.Pytester) -> None:
    path = pytester.makepyfile("def test_mine(): pass")
    chosen = ("-k", "mine or (documented and mechanism and shuffle)")
    pytester.runpytest_subprocess(*OPTION, *chosen).assert_outcomes(passed=1)
    pytester.runpytest_subprocess(*OPTION, *chosen, str(path)).assert_outcomes(passed=2)


def test_an_unknown_plugin_is_refused_with_the_nearest_name(pytester: pytest.Pytester) -> None:
    result = pytester.runpytest_subprocess("--accountant-plugin", "respones")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "no plugin is called 'respones'; did you mean 'response'?" in result.stderr.str()
    assert "after adding one, install its distribution again" in result.stderr.str()


def test_a_broken_law_shows_its_counterexample_and_no_traceback(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(
        """
        import pytest

        @pytest.hookimpl(trylast=True)
        def pytest_collection_modifyitems(items):
            from attrs import evolve

            def check():
                raise AssertionError("something is wrong\\n    at epsilon: 1")

            items[0].trial = evolve(items[0].trial, check=check)
            del items[1:]
        """
    )
    output = pytester.runpytest_subprocess(*OPTION, ".").stdout
    output.fnmatch_lines(
        ["The law 'plugins register something' does not hold for response: *:", "  something is wrong", "    at epsilon: 1"]
    )
    assert "Traceback" not in output.str()


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "two workers"])
def test_what_passed_is_counted_wherever_it_ran_and_said(pytester: pytest.Pytester, workers: tuple[str, ...]) -> None:
    chosen = ("--accountant-plugin", "pure", "-k", "documented and definition", "--accountant-badge")
    output = pytester.runpytest_subprocess(*chosen, *workers).stdout
    output.re_match_lines([r"no badge of 'pure': 1 of \d+ trials passed"])
