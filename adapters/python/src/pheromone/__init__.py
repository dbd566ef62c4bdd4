"""Mail and signals between AI agents and people who work in one repository, kept there as plain files.

    from pheromone import Hive, log_rse

    hive = Hive.find("nightly-job")
    hive.send(hive.write(to="ops", topic="the disk is nearly full", body="93 % of /var"))
    for claim in hive.recv("ops"):
        claim.ack("cleaned up")
"""

from pheromone.claim import Claim
from pheromone.claims import Settlement
from pheromone.envelope import Envelope
from pheromone.eventlog import log_rse
from pheromone.eventstream import EventStream, Told
from pheromone.guard import Blocked, Withheld
from pheromone.header import MalformedEnvelope
from pheromone.hive import CAPABILITIES, Hive, NoSuchInbox
from pheromone.httpcalls import HttpProblem, Unreachable
from pheromone.httphive import HttpHive
from pheromone.httpjson import Letter, Page, Waiting
from pheromone.instant import Instant
from pheromone.postoffice import Copy, Receipt
from pheromone.question import Ask, QuestionState, SetAside, StoredAnswer
from pheromone.root import NoHive, find_root
from pheromone.rse import Event, Reading, read_events
from pheromone.trust import Key, Signer, SignatureCheck, TrustList
from pheromone.values import Actor, Address, Attachment, ContentHash, Domain, EnvelopeId, KeyId, Lane, Priority, Ttl

__all__ = [
    "CAPABILITIES",
    "Actor",
    "Address",
    "Ask",
    "Attachment",
    "Blocked",
    "Claim",
    "ContentHash",
    "Copy",
    "Domain",
    "Envelope",
    "EnvelopeId",
    "Event",
    "EventStream",
    "Hive",
    "HttpHive",
    "HttpProblem",
    "Instant",
    "Key",
    "KeyId",
    "Lane",
    "Letter",
    "MalformedEnvelope",
    "NoHive",
    "NoSuchInbox",
    "Page",
    "Priority",
    "QuestionState",
    "Reading",
    "Receipt",
    "SetAside",
    "Settlement",
    "SignatureCheck",
    "Signer",
    "StoredAnswer",
    "Told",
    "TrustList",
    "Ttl",
    "Unreachable",
    "Waiting",
    "Withheld",
    "find_root",
    "log_rse",
    "read_events",
]

__version__ = "0.2.0.dev0"
