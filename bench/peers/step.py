# Steps harbour.py in this one process, without a sandbox, and prints what it did as JSON.
# Arguments: seconds; a JSON list of action lists, one an episode. Episode i resets with seed i.
import hashlib
import json
import sys
import time

from harbour import HarbourMapEnv

seconds = float(sys.argv[1])
episodes = json.loads(sys.argv[2])
env = HarbourMapEnv()
digest = hashlib.sha256()
for seed, actions in enumerate(episodes):
    digest.update(env.reset(seed)[0].encode())
    for action in actions:
        step = env.step(action)
        digest.update(f"{step[0]}|{step[1]}".encode())
        if step[2] or step[3]:
            break

steps = 0
started = time.perf_counter()
while time.perf_counter() - started < seconds:
    for seed, actions in enumerate(episodes):
        env.reset(seed)
        for action in actions:
            _, _, terminated, truncated, _ = env.step(action)
            steps += 1
            if terminated or truncated:
                break
elapsed = time.perf_counter() - started
print(json.dumps({"stepsPerSecond": steps / elapsed, "digest": digest.hexdigest()}))
