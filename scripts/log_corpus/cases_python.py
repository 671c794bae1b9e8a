"""Logs of Python's tools: test runners, type checkers, linters, installers, and programs that fail."""

from __future__ import annotations

from corpus import Project, case


def write_tests(project: Project, files: int, tests: int) -> None:
    """Test files whose tests all pass."""
    for n in range(files):
        body = "\n".join(f"def test_rule_{m}():\n    assert {m} + 1 == {m + 1}\n" for m in range(tests))
        project.write(f"tests/test_area_{n:02}.py", body)


@case(
    "pytest-verbose",
    r"E\s+AssertionError: total 41 is not 42",
    r"FAILED tests/test_zone\.py::test_total",
    tool="pytest",
)
def pytest_verbose(project: Project) -> str:
    write_tests(project, 30, 30)
    project.write(
        "tests/test_zone.py",
        "def test_total():\n    total = 41\n    assert total == 42, f'total {total} is not 42'\n",
    )
    return "pytest -v -rA"


@case("pytest-captured-noise", r"E\s+ValueError: unknown currency 'XQX'", tool="pytest")
def pytest_noise(project: Project) -> str:
    project.write(
        "tests/test_prices.py",
        "import pytest\n@pytest.mark.parametrize('n', range(40))\ndef test_price(n):\n    for i in range(30):\n        print('price', n, 'item', i, 'looked up in the table of rates')\n    if n == 12:\n        raise ValueError(\"unknown currency 'XQX'\")\n    assert n not in (3, 31)\n",
    )
    return "pytest --tb=short -rA"


@case("pytest-collection-error", r"E\s+ModuleNotFoundError: No module named 'frobnicate'", tool="pytest")
def pytest_collection(project: Project) -> str:
    write_tests(project, 25, 30)
    project.write("tests/test_area_12.py", "import frobnicate\n\ndef test_x():\n    pass\n")
    return "pytest -v --continue-on-collection-errors -rA"


@case("pytest-fixture-error", r"E\s+ConnectionError: database at 10\.0\.0\.7 refused", tool="pytest")
def pytest_fixture(project: Project) -> str:
    write_tests(project, 25, 30)
    project.write(
        "tests/test_store.py",
        "import pytest\n@pytest.fixture\ndef store():\n    raise ConnectionError('database at 10.0.0.7 refused')\n\ndef test_read(store):\n    pass\n",
    )
    return "pytest -v -rA"


@case("pytest-many-failures", r"E\s+KeyError: 'shipping_address'", tool="pytest")
def pytest_many(project: Project) -> str:
    body = "\n".join(
        f"def test_case_{n}():\n    values = list(range({n}))\n    assert sum(values) == {n * (n - 1) // 2 + (n % 2)}\n"
        for n in range(160)
    )
    project.write(
        "tests/test_sums.py",
        body
        + "\ndef test_order():\n    order = {'id': 1}\n    assert order['shipping_address']\n\n"
        + body.replace("test_case", "test_other"),
    )
    return "pytest --tb=short"


@case("unittest-verbose", r"AssertionError: 'eur' != 'usd'", tool="python")
def unittest_verbose(project: Project) -> str:
    tests = "\n".join(
        f"    def test_rule_{n}(self):\n        print('rule {n} applied to all rows of the ledger')\n        self.assertTrue(True)\n"
        for n in range(600)
    )
    project.write(
        "test_ledger.py",
        f"import unittest\n\nclass Ledger(unittest.TestCase):\n{tests}\n    def test_money(self):\n        self.assertEqual('eur', 'usd')\n",
    )
    project.write(
        "run.sh",
        'for i in 1 2; do python -m unittest -v test_ledger; done; for i in $(seq 700); do echo "cleaning workspace directory number $i"; done\n',
    )
    return "bash run.sh"


@case(
    "unittest-setup-error",
    r"OSError: \[Errno 28\] the scratch disk is full|OSError: .*scratch disk is full",
    tool="python",
)
def unittest_setup(project: Project) -> str:
    tests = "\n".join(f"    def test_step_{n}(self):\n        self.assertTrue(True)\n" for n in range(500))
    project.write(
        "test_disk.py",
        f"import unittest\n\nclass Before(unittest.TestCase):\n{tests}\nclass Disk(unittest.TestCase):\n    @classmethod\n    def setUpClass(cls):\n        raise OSError(28, 'the scratch disk is full')\n\n    def test_it(self):\n        pass\n\nclass Later(unittest.TestCase):\n{tests}\n",
    )
    return 'python -m unittest -v test_disk; for i in $(seq 600); do echo "archiving report $i of this run"; done'


@case("python-traceback-in-log", r"^ZeroDivisionError: division by zero", tool="python")
def python_traceback(project: Project) -> str:
    project.write(
        "app.py",
        "import traceback\ndef share(n):\n    return 100 / (n - 450)\nfor n in range(1200):\n    print(f'request {n} handled by worker {n % 8} in {n % 90} ms')\n    try:\n        share(n)\n    except ZeroDivisionError:\n        traceback.print_exc()\n",
    )
    return "python -u app.py"


@case("python-logging", r"ERROR payments: card 4242 was declined by the bank", tool="python")
def python_logging(project: Project) -> str:
    project.write(
        "app.py",
        "import logging\nlogging.basicConfig(level=logging.INFO, format='%(asctime)s %(levelname)s %(name)s: %(message)s')\nlog = logging.getLogger('payments')\nfor n in range(900):\n    log.info('order %d accepted, %d items, stored in partition %d', n, n % 7, n % 16)\n    if n % 50 == 0:\n        log.warning('slow query: %d ms', n)\n    if n == 333:\n        log.error('card 4242 was declined by the bank')\n",
    )
    return "python app.py"


@case("python-exception-chain", r"RuntimeError: the import of batch 71 was given up", tool="python")
def python_chain(project: Project) -> str:
    project.write(
        "batch.py",
        "import sys\nn = int(sys.argv[1])\nfor i in range(25):\n    print(f'batch {n}: line {i} parsed, checked and stored')\nsys.stdout.flush()\ntry:\n    if n == 71:\n        {}['id']\nexcept KeyError as error:\n    raise RuntimeError('the import of batch 71 was given up') from error\n",
    )
    return "for i in $(seq 40 100); do python batch.py $i; done"


@case("python-syntax-error", r"SyntaxError: .*never closed|SyntaxError: ", tool="python")
def python_syntax(project: Project) -> str:
    for n in range(100, 999):
        project.write(f"package/subpackage_{n % 9}/module_{n}.py", f"VALUE = {n}\n")
    project.write("package/subpackage_0/module_333.py", "VALUE = (1, 2\nOTHER = 3\n")
    return "python -m compileall package"


@case("python-asyncio", r"TimeoutError: upstream did not answer", tool="python")
def python_asyncio(project: Project) -> str:
    project.write(
        "app.py",
        "import asyncio, gc\nasync def fetch(n):\n    if n == 40:\n        raise TimeoutError('upstream did not answer')\nasync def main():\n    for n in range(1300):\n        task = asyncio.create_task(fetch(n))\n        await asyncio.sleep(0)\n        del task\n        print(f'page {n} fetched and put into the cache', flush=True)\nasyncio.run(main())\n",
    )
    return "python -u app.py"


@case("python-warnings", r"PermissionError: \[Errno 13\] Permission denied: 'ledger\.db'", tool="python")
def python_warnings(project: Project) -> str:
    project.write(
        "app.py",
        "import warnings, sys\nwarnings.simplefilter('always')\nfor n in range(500):\n    warnings.warn(f'option {n} is deprecated, use option {n + 1} instead', DeprecationWarning)\n    if n == 210:\n        try:\n            raise PermissionError(13, 'Permission denied', 'ledger.db')\n        except PermissionError as error:\n            print('PermissionError:', error, file=sys.stderr)\n",
    )
    return "python -u app.py"


def revealing(count: int) -> str:
    """Lines of which a type checker tells something each."""
    return "\n".join(f"reveal_type({n})" for n in range(count))


@case("mypy-notes", r"billing\.py:2: error: Incompatible return value type", tool="mypy")
def mypy_notes(project: Project) -> str:
    project.write("alpha.py", revealing(450))
    project.write("billing.py", "def total() -> int:\n    return 'many'\n")
    project.write("omega.py", revealing(450))
    return "mypy alpha.py billing.py omega.py"


@case("mypy-strict", r'error: Name "conncetion" is not defined', tool="mypy")
def mypy_strict(project: Project) -> str:
    body = "\n".join(f"def f_{n}(a, b):\n    return a\n" for n in range(260))
    project.write("legacy.py", body + "\ndef close():\n    conncetion.close()\n\n" + body.replace("f_", "g_"))
    return "mypy --strict legacy.py"


@case("pyright-informations", r"billing\.py:2:\d+ - error: Type", tool="pyright")
def pyright_informations(project: Project) -> str:
    project.write("alpha.py", revealing(300))
    project.write("billing.py", "def total() -> int:\n    return 'many'\n")
    project.write("omega.py", revealing(300))
    return "pyright alpha.py billing.py omega.py"


@case("ruff-concise", r"F821 Undefined name `conncetion`", tool="ruff")
def ruff_concise(project: Project) -> str:
    lines = "\n".join(f"value_{n} = '{'x' * 90}'" for n in range(450))
    project.write("long.py", f"{lines}\nconncetion.close()\n{lines}\n")
    return "ruff check --isolated --select E,F --output-format concise long.py"


@case("ruff-full", r"F821 Undefined name `conncetion`", tool="ruff")
def ruff_full(project: Project) -> str:
    lines = "\n".join(f"import module_{n}" for n in range(250))
    project.write("imports.py", f"{lines}\nconncetion.close()\n")
    project.write("more.py", lines.replace("module", "package"))
    return "ruff check --isolated --select F imports.py more.py"


@case("flake8", r"F821 undefined name 'conncetion'", tool="flake8")
def flake8(project: Project) -> str:
    lines = "\n".join(f"value_{n} = '{'x' * 90}'" for n in range(600))
    project.write("long.py", f"{lines}\nconncetion.close()\n{lines}\n")
    return "flake8 long.py"


@case("pylint", r"E0602: Undefined variable 'conncetion'", tool="pylint")
def pylint(project: Project) -> str:
    body = "\n".join(f"def f_{n}(a, b):\n    return a\n" for n in range(220))
    project.write("legacy.py", body + "\ndef close():\n    conncetion.close()\n\n" + body.replace("f_", "g_"))
    return "pylint legacy.py"


@case("black-check", r"error: cannot (?:format|parse).*module_222\.py", tool="black")
def black_check(project: Project) -> str:
    for n in range(100, 500):
        project.write(f"package/subpackage_{n % 9}/module_{n}.py", f"VALUE  = {n}\n")
    project.write("package/subpackage_6/module_222.py", "VALUE = (1, 2\nOTHER = 3\n")
    return 'black --check package; for i in $(seq 400); do echo "publishing the report of step $i"; done'


@case(
    "pip-no-distribution", r"ERROR: No matching distribution found for frobnicate-nowhere==9\.9", tool="pip"
)
def pip_none(project: Project) -> str:
    return "for p in pytest mypy ruff sphinx tox; do for i in 1 2 3 4 5 6 7; do pip install --no-input --disable-pip-version-check $p; done; [ $p = ruff ] && pip install --no-input --disable-pip-version-check 'frobnicate-nowhere==9.9'; done; true"


@case("pip-build-failure", r"fatal error: frobnicate\.h: No such file or directory", tool="pip")
def pip_build(project: Project) -> str:
    sources = ", ".join(f"'part_{n}.c'" for n in range(60))
    for n in range(60):
        project.write(f"part_{n}.c", '#include "frobnicate.h"\n' if n == 30 else f"int part_{n};\n")
    project.write(
        "setup.py",
        f"from setuptools import setup, Extension\nsetup(name='sample', version='1', ext_modules=[Extension('sample', [{sources}], extra_compile_args=['-DLONG_FLAG_NUMBER_%d=1' % i for i in range(40)])])\n",
    )
    return 'pip install --no-build-isolation --no-input -v . ; for i in $(seq 1100); do echo "removing temporary directory number $i"; done'


@case("yamllint", r"error\s+duplication of key \"replicas\"", tool="yamllint")
def yamllint(project: Project) -> str:
    lines = "\n".join(f"key_{n}: [ {n},{n} ]" for n in range(420))
    project.write(
        "values.yaml", f"{lines}\nreplicas: 1\nreplicas: 2\n" + lines.replace("key_", "other_") + "\n"
    )
    return "yamllint -d '{extends: default, rules: {commas: {level: warning}, brackets: {level: warning}}}' values.yaml"


@case(
    "ansible-task", r"fatal: \[localhost\]: FAILED! => .*the license file is missing", tool="ansible-playbook"
)
def ansible_task(project: Project) -> str:
    tasks = "\n".join(
        f"    - name: prepare part {n} of the installation\n      ansible.builtin.debug:\n        msg: part {n} is in place"
        for n in range(150)
    )
    bad = "    - name: check the license\n      ansible.builtin.fail:\n        msg: the license file is missing\n      ignore_errors: true"
    project.write(
        "play.yml", f"- hosts: localhost\n  gather_facts: false\n  tasks:\n{tasks}\n{bad}\n{tasks}\n"
    )
    return "ansible-playbook -i localhost, -c local play.yml"


@case("ansible-template", r"'release_channel' is undefined", tool="ansible-playbook")
def ansible_template(project: Project) -> str:
    tasks = "\n".join(
        f"    - name: copy unit {n}\n      ansible.builtin.debug:\n        msg: unit {n} was copied to its place"
        for n in range(160)
    )
    bad = "    - name: write the channel\n      ansible.builtin.debug:\n        msg: '{{ release_channel }}'\n      ignore_errors: true"
    project.write(
        "play.yml", f"- hosts: localhost\n  gather_facts: false\n  tasks:\n{tasks}\n{bad}\n{tasks}\n"
    )
    return "ansible-playbook -v -i localhost, -c local play.yml"


@case("tox-environments", r"AssertionError: the cache was not cleared", tool="nox")
def nox_sessions(project: Project) -> str:
    project.write(
        "check.py",
        "import sys\nfor n in range(80):\n    print(f'session {sys.argv[1]}: check {n} of the matrix is fine')\nsys.stdout.flush()\nassert sys.argv[1] != '7', 'the cache was not cleared'\n",
    )
    sessions = "\n".join(
        f"@nox.session(name='part-{n}', venv_backend='none')\ndef part_{n}(session):\n    session.run('python', 'check.py', '{n}')\n"
        for n in range(16)
    )
    project.write("noxfile.py", f"import nox\n{sessions}")
    return "nox"
