"""The pod that the spawner of a cluster would make of our values; no cluster is asked."""

import asyncio

import pytest
import yaml
from traitlets.config import Config

from tests.classroom.test_cluster import VALUES


@pytest.fixture
def pod(tmp_path, monkeypatch):
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "none",
        "contexts": [{"name": "none", "context": {"cluster": "none", "user": "none"}}],
        "clusters": [{"name": "none", "cluster": {"server": "https://127.0.0.1:1"}}],
        "users": [{"name": "none", "user": {}}],
    }
    (tmp_path / "kubeconfig").write_text(yaml.safe_dump(config))
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "kubeconfig"))
    from kubespawner import KubeSpawner  # here: it reads KUBECONFIG when it is imported

    one, c = VALUES["singleuser"], Config()
    c.KubeSpawner.image = f"{one['image']['name']}:{one['image']['tag']}"
    c.KubeSpawner.uid, c.KubeSpawner.fs_gid = one["uid"], one["fsGid"]
    c.KubeSpawner.allow_privilege_escalation = one["allowPrivilegeEscalation"]
    c.KubeSpawner.mem_limit, c.KubeSpawner.mem_guarantee = one["memory"]["limit"], one["memory"]["guarantee"]
    c.KubeSpawner.cpu_limit, c.KubeSpawner.cpu_guarantee = one["cpu"]["limit"], one["cpu"]["guarantee"]
    c.KubeSpawner.environment = one["extraEnv"]

    async def make():
        return await KubeSpawner(_mock=True, config=c).get_pod_manifest()

    return asyncio.run(make()).to_dict()["spec"]


def test_pod_has_limits_no_root_and_no_token(pod):
    (container,) = pod["containers"]
    limits, requests = container["resources"]["limits"], container["resources"]["requests"]
    promised = VALUES["singleuser"]["memory"]
    wanted = [int(promised[name].removesuffix("M")) * 1024**2 for name in ("limit", "guarantee")]
    assert [int(limits["memory"]), int(requests["memory"])] == wanted
    assert (float(limits["cpu"]), float(requests["cpu"])) == (1, 0.1)
    context = container["security_context"]
    assert context["runAsUser"] == 1000 and context["allowPrivilegeEscalation"] is False
    assert pod["automount_service_account_token"] is False and not pod["service_account_name"]
    environment = {one["name"]: one["value"] for one in container["env"] if one.get("value")}
    assert environment["OMP_NUM_THREADS"] == "1"
