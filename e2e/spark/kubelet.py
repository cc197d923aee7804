"""Runs the pods of an API server as processes: kubelet.py SERVER AUTHORITY ADDRESS

Drivers and executors of Spark start as Spark's image starts them (entrypoint.sh of Spark 3.5), with the installation in
SPARK_HOME. All pods have the address of this machine. A pod that is deleted is killed.
"""

import json
import os
import signal
import ssl
import subprocess
import sys
import time
import urllib.error
import urllib.request

SERVER, AUTHORITY, ADDRESS = sys.argv[1:]
TLS = ssl.create_default_context(cafile=AUTHORITY)


def request(path, patch=None):
    headers = {"Authorization": "Bearer admin", "Content-Type": "application/merge-patch+json"}
    body = json.dumps(patch).encode() if patch else None
    ask = urllib.request.Request(SERVER + path, body, headers, method="PATCH" if patch else "GET")
    with urllib.request.urlopen(ask, context=TLS, timeout=20) as response:
        return json.load(response)


def report(pod, phase, container):
    """Sets the status of a pod, as a kubelet does."""
    status = {
        "phase": phase, "podIP": ADDRESS, "podIPs": [{"ip": ADDRESS}],
        "conditions": [{"type": "Ready", "status": str(phase == "Running")}],
        "containerStatuses": [{
            "name": pod["spec"]["containers"][0]["name"], "state": container, "ready": phase == "Running", "image": "lab",
            "imageID": "", "restartCount": 0,
        }],
    }
    request(f"/api/v1/namespaces/{pod['metadata']['namespace']}/pods/{pod['metadata']['name']}/status", {"status": status})


def now():
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def start(pod):
    meta, spec = pod["metadata"], pod["spec"]["containers"][0]
    folder = os.path.abspath(f"pods/{meta['name']}")
    env = {**os.environ, "SPARK_LOCAL_IP": ADDRESS}
    for e in spec.get("env", []):
        env[e["name"]] = e.get("value", ADDRESS if "status.podIP" in str(e) else meta["name"])
    paths = {"/var/data": f"{folder}/data", "/opt/spark/work-dir": folder}
    maps = {v["name"]: v["configMap"] for v in pod["spec"].get("volumes", []) if "configMap" in v}
    for mount in spec.get("volumeMounts", []):
        if mount["name"] in maps:
            source = maps[mount["name"]]
            names = {i["key"]: i["path"] for i in source.get("items", [])}
            paths[mount["mountPath"]] = to = folder + mount["mountPath"]
            os.makedirs(to, exist_ok=True)
            for key, text in request(f"/api/v1/namespaces/{meta['namespace']}/configmaps/{source['name']}")["data"].items():
                with open(f"{to}/{names.get(key, key)}", "w") as f:
                    # Properties name the template of executors, which is another mount.
                    f.write(text.replace("=/opt/spark/pod-template/", f"={folder}/opt/spark/pod-template/"))
    os.makedirs(folder, exist_ok=True)

    def local(text):
        for inside, outside in paths.items():
            text = text.replace(inside, outside, 1) if text.startswith(inside) else text
        return text

    env = {name: local(value) for name, value in env.items()}
    role, *args = [local(a) for a in spec["args"]]
    home = env["SPARK_HOME"]
    if role == "driver":
        command = [f"{home}/bin/spark-submit", "--conf", f"spark.driver.bindAddress={ADDRESS}", "--conf",
                   f"spark.driver.host={ADDRESS}", "--deploy-mode", "client", *args]
    else:
        options = [env[f"SPARK_JAVA_OPT_{i}"] for i in range(99) if f"SPARK_JAVA_OPT_{i}" in env]
        memory = env["SPARK_EXECUTOR_MEMORY"]
        command = ["java", *options, f"-Xms{memory}", f"-Xmx{memory}", "-cp", f"{home}/jars/*",
                   "org.apache.spark.scheduler.cluster.k8s.KubernetesExecutorBackend",
                   "--driver-url", env["SPARK_DRIVER_URL"], "--executor-id", env["SPARK_EXECUTOR_ID"],
                   "--cores", env["SPARK_EXECUTOR_CORES"], "--app-id", env["SPARK_APPLICATION_ID"],
                   "--hostname", env["SPARK_EXECUTOR_POD_IP"], "--resourceProfileId", env["SPARK_RESOURCE_PROFILE_ID"],
                   "--podName", env["SPARK_EXECUTOR_POD_NAME"]]
    with open(f"log/{meta['name']}.log", "w") as log:
        return subprocess.Popen(command, env=env, cwd=folder, stdout=log, stderr=log, start_new_session=True)


def main():
    running = {}  # by uid
    while True:
        pods = {p["metadata"]["uid"]: p for p in request("/api/v1/pods")["items"]}
        for uid in [u for u in running if u not in pods]:
            try:
                os.killpg(running.pop(uid).pid, signal.SIGTERM)
            except ProcessLookupError:
                pass
        for uid, pod in pods.items():
            try:
                if uid not in running and pod["status"]["phase"] == "Pending":
                    running[uid] = start(pod)
                    report(pod, "Running", {"running": {"startedAt": now()}})
                elif uid in running and running[uid].poll() is not None:
                    code = running.pop(uid).returncode
                    report(pod, "Failed" if code else "Succeeded", {"terminated": {
                        "exitCode": code % 256, "reason": "Error" if code else "Completed", "finishedAt": now()}})
            except urllib.error.HTTPError as e:
                # Spark creates the ConfigMap of a driver after its pod, and deletes pods of executors at any time.
                if e.code != 404:
                    raise
        time.sleep(0.3)


main()
