import glob, hashlib, json, os, sys, time, uuid
domain, topic, body = sys.argv[1], sys.argv[2], sys.argv[3].encode() + b"\n"
if glob.glob(".deia/ROTG-2*") + glob.glob(".deia/do-not-*/*") + glob.glob(".deia/tools/policy_guard.*"):
    sys.exit("the hive is locked; nothing was sent")
name, inbox, now = str(uuid.uuid4()), f".deia/inbox/{domain}", time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
header = {"id": name, "ts": now, "from": "nightly-job", "to": [f"queen://{domain}"], "lane": "Ops", "topic": topic,
          "priority": "P2", "ttl": "1d", "hash": "sha256:" + hashlib.sha256(body).hexdigest()}
lines = "".join(f"{key}: {json.dumps(value, ensure_ascii=False)}\n" for key, value in header.items())
with open(f"{inbox}/.tmp/{name}", "xb", opener=lambda path, flags: os.open(path, flags, 0o600)) as draft:
    draft.write(f"---\n{lines}---\n".encode() + body); draft.flush(); os.fsync(draft.fileno())
os.link(draft.name, f"{inbox}/{name}.md"); os.fsync(os.open(inbox, os.O_RDONLY)); os.unlink(draft.name)
print(f"{inbox}/{name}.md")
