"""Rules of the checkout itself: what the README promises, what is pinned, what must not get in."""

import os
import re
import stat
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
REQUIREMENTS = [
    Requirement(line)
    for line in [
        *PYPROJECT["project"]["dependencies"],
        *PYPROJECT["project"]["optional-dependencies"]["dev"],
    ]
]


def block(mark: str) -> str:
    """Text of the README's only code block with this mark."""
    (text,) = re.findall(rf"^```sh {mark}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    return str(text)


def constraints() -> dict[str, str]:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pairs = [line.split("==") for line in lines if not line.startswith("#")]
    return {canonicalize_name(name): version for name, version in pairs}


def tracked_files() -> list[Path]:
    git = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if git.returncode != 0:
        pytest.skip("not a git checkout")
    paths = [ROOT / name for name in git.stdout.decode().split("\0") if name]
    return [path for path in paths if path.is_file()]


# --- README and CI --------------------------------------------------------------------------------


@pytest.mark.parametrize("mark", ["run", "test"])
def test_readme_command_is_one_line_on_the_first_screen(mark: str) -> None:
    assert block(mark).count("\n") == 1
    assert README.splitlines().index(block(mark).strip()) < 24


@pytest.mark.parametrize("mark", ["run", "test"])
def test_readme_command_names_paths_that_exist(mark: str) -> None:
    words = re.findall(r"[\w./-]+", block(mark))
    paths = [w for w in words if re.search(r"/|\.(py|txt|toml)$", w) and ".venv/" not in w]
    assert paths
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_readme_links_lead_somewhere() -> None:
    targets = re.findall(r"\]\((?!https?:)([^)#]+)", README)
    assert targets
    assert [target for target in targets if not (ROOT / target).exists()] == []


def test_ci_takes_its_test_command_from_the_readme() -> None:
    shown = subprocess.run(
        ["bash", str(ROOT / ".ci" / "run"), "--print-test-command"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert shown.stdout == block("test")


def run_ci_over(folder: Path, test_command: str) -> "subprocess.CompletedProcess[str]":
    """Run a copy of .ci/run in a folder of its own, over a README with that test command."""
    (folder / ".ci").mkdir()
    script = folder / ".ci" / "run"
    script.write_bytes((ROOT / ".ci" / "run").read_bytes())
    (folder / "README.md").write_text(f"```sh test\n{test_command}\n```\n", encoding="utf-8")
    tools = folder / ".venv" / "bin"
    tools.mkdir(parents=True)
    for name in ("ruff", "mypy", "lint-imports"):
        tool = tools / name
        tool.write_text('#!/bin/sh\necho "${0##*/}" "$@" >> ran.txt\n', encoding="utf-8")
        tool.chmod(tool.stat().st_mode | stat.S_IXUSR)
    # Any executable will do as the browser that keeps the script from installing one.
    environment = {k: v for k, v in os.environ.items() if k != "CI"}
    environment["CHROMIUM"] = sys.executable
    return subprocess.run(
        ["bash", str(script)], env=environment, capture_output=True, text=True, check=False
    )


def test_ci_runs_the_readme_and_every_check(tmp_path: Path) -> None:
    ended = run_ci_over(tmp_path, "echo tests CI=$CI > ran.txt && echo 7 passed")

    assert ended.returncode == 0, ended.stderr
    assert "7 passed" in ended.stdout
    ran = (tmp_path / "ran.txt").read_text(encoding="utf-8").splitlines()
    assert ran == [
        "tests CI=true",
        "ruff check",
        "ruff format --check",
        "mypy",
        "lint-imports --no-logo",
    ]


def test_ci_fails_when_the_tests_fail_but_still_runs_the_checks(tmp_path: Path) -> None:
    ended = run_ci_over(tmp_path, "exit 5")

    assert ended.returncode == 1
    assert "failed: tests" in ended.stderr
    assert "mypy" in (tmp_path / "ran.txt").read_text(encoding="utf-8")


def test_first_start_asks_nothing_and_reports_nothing() -> None:
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    # Without the first, the very first start on a machine waits at "Email:" and opens no page.
    assert config["server"].get("showEmailPrompt") is False
    assert config["browser"].get("gatherUsageStats") is False


# --- packages -------------------------------------------------------------------------------------


@pytest.mark.parametrize("requirement", REQUIREMENTS, ids=lambda requirement: requirement.name)
def test_constraints_pin_what_pyproject_asks_for(requirement: Requirement) -> None:
    assert constraints()[canonicalize_name(requirement.name)] in requirement.specifier


def test_malicious_litellm_releases_are_excluded_by_name() -> None:
    (litellm,) = [r for r in REQUIREMENTS if r.name == "litellm"]
    # By name: the exclusion must survive a lower bound that somebody loosens.
    assert {"!=1.82.7", "!=1.82.8"} <= {str(part) for part in litellm.specifier}


def test_the_package_cannot_be_published() -> None:
    assert "Private :: Do Not Upload" in PYPROJECT["project"]["classifiers"]


# --- what must not get in -------------------------------------------------------------------------

# Put together here, so that this file does not hold what it looks for.
REGISTRY_HOSTS = [
    f"{name}.{domain}"
    for name, domain in [
        ("pypi", "org"),
        ("pythonhosted", "org"),
        ("npmjs", "org"),
        ("npmjs", "com"),
        ("yarnpkg", "com"),
        ("anaconda", "org"),
        ("debian", "org"),
    ]
]
PERSONAL_FOLDERS = ["home", "Users", "root", "tmp", "private/var", "mnt"]


def forbidden_text() -> re.Pattern[str]:
    folders = [re.escape(f"/{folder}/") for folder in PERSONAL_FOLDERS]
    if len(ROOT.parent.parts) > 1:
        folders.append(re.escape(f"{ROOT.parent}/"))
    hosts = [re.escape(host) for host in REGISTRY_HOSTS]
    # A folder counts where a path begins, not inside a longer relative one.
    return re.compile(
        rf"(?<![\w.~-])(?:{'|'.join(folders)})|{'|'.join(hosts)}|--(?:extra-)?index-url"
    )


def test_no_tracked_file_names_a_registry_or_this_machine() -> None:
    pattern = forbidden_text()
    found = [
        f"{path.relative_to(ROOT)}:{number}: {match.group()}"
        for path in tracked_files()
        for number, line in enumerate(path.read_bytes().decode("utf-8", "replace").splitlines(), 1)
        if (match := pattern.search(line))
    ]
    assert found == []


@pytest.mark.parametrize(
    "line",
    [
        "cd /" + "home/someone/project",
        f"see {ROOT.parent}/notes.txt",
        "https://" + "files.python" + "hosted.org/packages",
        "pip install --index" + "-url http://localhost",
    ],
)
def test_forbidden_text_is_recognised(line: str) -> None:
    assert forbidden_text().search(line)


# --- imports --------------------------------------------------------------------------------------


def test_packages_come_from_the_checkout_when_started_elsewhere(tmp_path: Path) -> None:
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    shown = subprocess.run(
        [sys.executable, "-c", "import core, dashboard; print(core.__file__, dashboard.__file__)"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    expected = [str(ROOT / name / "__init__.py") for name in ("core", "dashboard")]
    assert shown.stdout.split() == expected


def test_nothing_in_dashboard_hides_another_module() -> None:
    # Streamlit puts dashboard/ first on the path, where its files hide what has the same name.
    entries = [path for path in (ROOT / "dashboard").rglob("*") if path.name != "__pycache__"]
    modules = [path for path in entries if path.suffix == ".py" or path.is_dir()]
    assert [p for p in modules if p.stem in sys.stdlib_module_names] == []
    assert list((ROOT / "dashboard").glob("core*")) == []


def test_no_folder_is_named_pages() -> None:
    # Streamlit scans such a folder and runs its files bare on the first deep link.
    assert [path for path in (ROOT / "dashboard").rglob("pages") if path.is_dir()] == []


def test_every_folder_with_code_is_a_package() -> None:
    # import-linter does not see the others, so that its contracts would hold for nothing.
    folders = {
        path.parent for name in ("core", "dashboard") for path in (ROOT / name).rglob("*.py")
    }
    assert [folder for folder in folders if not (folder / "__init__.py").exists()] == []
