"""What a learner must not reach is denied, and what breaks does not spread."""

import asyncio
import json
import os
import pwd
import signal
import subprocess
from pathlib import Path

import psutil
import pytest

from tests.classroom.server.conftest import NAMES
from tests.classroom.server.learner import Failed, Learner


@pytest.fixture(scope="module")
def both(hub):
    """What Anna's kernel says to each probe while Ben works too, and what Anna's cookies get from Ben's server."""
    return asyncio.run(visit(hub))


async def visit(hub):
    async with Learner(hub.base, "ffn-anna", hub.password) as anna, Learner(hub.base, "ffn-ben", hub.password) as ben:
        for one in (anna, ben):
            await one.login()
            await one.spawn()
            await one.start_kernel()
        await ben.run("kept = 17; import os, pathlib; pathlib.Path.home().joinpath('secret').write_text('x')")
        ben_kernel = int(await ben.run("print(os.getpid())"))
        found = {}
        for name, probe in probes(hub, ben_kernel).items():
            found[name] = await anna.run(
                f"try:\n    print('GOT', {probe})\nexcept Exception as e:\n    print('denied', e)"
            )
        found["who"] = await anna.run("import getpass; print(getpass.getuser())")
        found["threads"] = await anna.run(
            "from course_lib.model.one_thread import torch; print(torch.get_num_threads())"
        )
        found["copy"] = await anna.run(
            "import pathlib; print(sorted(p.name for p in pathlib.Path('.').glob('*.ipynb')))"
        )
        found["solutions"] = await anna.run(
            "from lessons import catalogue; print(catalogue.solution('start_here.double'))"
        )
        found["solved"] = await anna.run(
            "from course_lib.desk import check\ndef double(x):\n    return 2 * x\ncheck('start_here.double', double)"
        )
        found["memory"] = await anna.run("hoard = bytearray(4_000_000_000)")
        found["still there"] = await anna.run("print(6 * 7)")
        found["terminals"] = (await anna.api("POST", "terminals"))[0]
        anna.server = ben.server
        found["classmate's server"] = (await anna.api("GET", "contents"))[0]
        found["ben"] = await ben.run("print(kept)")
        return found


def probes(hub, ben_kernel):
    """Return what Anna tries, as expressions."""
    home = pwd.getpwnam("ffn-ben").pw_dir
    return {
        "database": f"open({str(hub.place.folder / 'hub.sqlite')!r}, 'rb').read(10)",
        "cookie secret": f"open({str(hub.place.folder / 'cookie_secret')!r}, 'rb').read(10)",
        "passwords": f"open({str(hub.place.passwords)!r}).read()",
        "hub's environment": f"open('/proc/{hub.process.pid}/environ', 'rb').read()",
        "classmate's home": f"__import__('os').listdir({home!r})",
        "classmate's file": f"open({home + '/secret'!r}).read()",
        "classmate's kernel keys": f"__import__('os').listdir({home + '/.run'!r})",
        "classmate's kernel": f"__import__('os').kill({ben_kernel}, 9)",
        "the hub": f"__import__('os').kill({hub.process.pid}, 9)",
        "the course": f"open({str(hub.place.course / 'README.md')!r}, 'a').write('x')",
    }


def test_progress_is_kept_in_the_learners_home(hub, both):
    assert hub.place.progress("ffn-anna").is_file() and "could not be saved" not in both["solved"]
    kept = json.loads(hub.place.progress("ffn-anna").read_text(encoding="utf-8"))
    assert "start_here.double" in json.dumps(kept)
    assert not (hub.place.course / "notebooks" / "progress.json").exists()


@pytest.mark.parametrize("name", [
    "database", "cookie secret", "passwords", "hub's environment", "classmate's home", "classmate's file",
    "classmate's kernel keys", "classmate's kernel", "the hub", "the course",
])  # fmt: skip
def test_probe_is_denied(both, name):
    assert both[name].startswith("denied") and "GOT" not in both[name], both[name]
    assert "ermission" in both[name] or "not permitted" in both[name]


def test_classmates_server_and_terminals_are_closed(both):
    assert both["classmate's server"] in (401, 403)
    assert both["terminals"] in (403, 404)


def test_learner_works_alone_with_a_copy_on_one_thread(both):
    assert both["who"].strip() == "ffn-anna" and both["threads"].strip() == "1"
    assert "00_start_here.ipynb" in both["copy"]
    assert both["solutions"].strip() == "None"  # `solution(…)` then says: ask your teacher


def test_greedy_learner_gets_an_error_and_nobody_else_notices(both):
    assert "MemoryError" in both["memory"]
    assert both["still there"].strip() == "42" and both["ben"].strip() == "17"


def test_killed_hub_loses_no_kernel(hub):
    """The hub dies at once; a kernel goes on, and after a restart the same learner finds the same values."""

    async def before():
        async with Learner(hub.base, "ffn-anna", hub.password) as anna:
            await anna.login()
            await anna.spawn()
            await anna.start_kernel()
            await anna.run("kept = 23")
            culler = [one for one in psutil.Process(hub.process.pid).children() if "culler" in " ".join(one.cmdline())]
            os.kill(hub.process.pid, signal.SIGKILL)
            hub.process.wait()
            for one in culler:
                one.kill()
            assert (await anna.run("print(kept + 1)")).strip() == "24"  # the proxy and the server still live
            return anna.kernel

    async def after(kernel):
        async with Learner(hub.base, "ffn-anna", hub.password) as anna:
            await anna.login()
            await anna.spawn()
            anna.kernel = kernel
            await anna.connect()
            return (await anna.run("print(kept)")).strip()

    kernel = asyncio.run(before())
    hub.log.close()
    hub.begin()
    assert asyncio.run(after(kernel)) == "23"


def test_full_disk_of_one_learner_costs_nobody_anything_that_was_saved(hub):
    """Anna's home is a small one that her code fills; what she had saved stays, and Ben notices nothing."""
    path = "ffn-course/my_notebooks/01_linear_limits.ipynb"
    home = Path(pwd.getpwnam("ffn-anna").pw_dir) / "ffn-course" / "my_notebooks"

    async def work():
        async with (
            Learner(hub.base, "ffn-anna", hub.password) as anna,
            Learner(hub.base, "ffn-ben", hub.password) as ben,
        ):
            for one in (anna, ben):
                await one.login()
                await one.spawn()
                await one.start_kernel()
            notebook = (await anna.api("GET", f"contents/{path}"))[1]["content"]
            notebook["cells"][0]["source"] = "what Anna wrote"
            assert await anna.save(path, notebook) == 200
            before = (home / Path(path).name).read_bytes()
            filled = await anna.run("f = open('filler', 'wb')\nwhile True:\n    f.write(bytes(1 << 20)); f.flush()")
            assert "No space left" in filled
            notebook["cells"][0]["source"] = "what does not fit " * 10_000
            assert await anna.save(path, notebook) == 500
            assert (home / Path(path).name).read_bytes() == before
            assert (await ben.run("print(open('ben', 'w').write('works'))")).strip() == "5"
            await anna.run("f.close(); import os; os.remove('filler')")
            assert await anna.save(path, notebook) == 200

    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=30m,mode=700", "tmpfs", str(home)], check=True)
    try:
        account = pwd.getpwnam("ffn-anna")
        os.chown(home, account.pw_uid, account.pw_gid)
        subprocess.run(["cp", str(hub.place.course / "notebooks" / Path(path).name), str(home)], check=True)
        os.chown(home / Path(path).name, account.pw_uid, account.pw_gid)
        asyncio.run(work())
    finally:
        subprocess.run(["umount", "--lazy", str(home)], check=True)


def test_who_is_taken_off_the_roster_is_out_and_finds_everything_when_put_back(hub):
    """Also with a session that is open and a server that runs: the hub forgets the name when it begins again."""

    async def told(ben, path):
        async with ben.http.get(f"{hub.base}{path}") as answer:
            return answer.status, answer.url.path

    async def story():
        async with Learner(hub.base, "ffn-ben", hub.password) as ben:
            await ben.login()
            await ben.spawn()
            await ben.start_kernel()
            await ben.run("open('kept', 'w').write('what Ben wrote')")
            assert await told(ben, "/hub/home") == (200, "/hub/home")
            await asyncio.to_thread(again, *NAMES[:1])
            for path in ("/hub/home", "/user/ffn-ben/lab", "/user/ffn-ben/api/contents"):
                assert await told(ben, path) == (200, "/hub/login")
            with pytest.raises(Failed, match="login of ffn-ben: HTTP 403"):
                await ben.login()
            await asyncio.to_thread(again, *NAMES)
            await ben.login()
            await ben.spawn()
            await ben.start_kernel()
            assert await ben.run("print(open('kept').read())") == "what Ben wrote\n"

    def again(*names):
        hub.end()
        hub.join(*names)
        hub.begin()

    asyncio.run(asyncio.wait_for(story(), 300))
