CREATE TABLE accounts (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  body TEXT NOT NULL
) STRICT;

CREATE TABLE api_keys (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  public_id TEXT NOT NULL UNIQUE,
  last_used_at INTEGER,
  body TEXT NOT NULL
, expires_at INTEGER, revoked_at INTEGER) STRICT;

CREATE TABLE sources (
  id TEXT PRIMARY KEY,
  body TEXT NOT NULL
) STRICT;

CREATE TABLE functions (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  source_id TEXT NOT NULL REFERENCES sources (id),
  body TEXT NOT NULL
) STRICT;

CREATE INDEX functions_by_account ON functions (account_id, id);

CREATE INDEX functions_by_source ON functions (source_id);

CREATE TABLE runs (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  function_id TEXT NOT NULL,
  source_id TEXT NOT NULL REFERENCES sources (id),
  status TEXT NOT NULL CHECK (status IN ('pending', 'running', 'completed', 'failed')),
  attempt INTEGER NOT NULL,
  losses INTEGER NOT NULL,
  cancel_requested INTEGER NOT NULL,
  -- Null unless running. An owner of null: given back.
  owner TEXT,
  lease_until INTEGER,
  created_at INTEGER NOT NULL,
  started_at INTEGER,
  completed_at INTEGER,
  request TEXT NOT NULL,
  metadata TEXT NOT NULL,
  progress TEXT,
  ending TEXT
, batch_id TEXT) STRICT;

CREATE INDEX runs_by_account ON runs (account_id, id);

CREATE INDEX runs_by_status ON runs (account_id, status, id);

CREATE INDEX runs_by_function ON runs (account_id, function_id, id);

CREATE INDEX runs_by_source ON runs (source_id);

CREATE INDEX runs_unfinished ON runs (id) WHERE status IN ('pending', 'running');

CREATE TABLE run_history (
  run_id TEXT PRIMARY KEY REFERENCES runs (id),
  points TEXT NOT NULL
) STRICT;

CREATE INDEX api_keys_by_account ON api_keys (account_id, id) WHERE revoked_at IS NULL;

CREATE TABLE account_settings (
  account_id TEXT PRIMARY KEY REFERENCES accounts (id),
  body TEXT NOT NULL
) STRICT;

CREATE TABLE idempotent_requests (
  account_id TEXT NOT NULL REFERENCES accounts (id),
  key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  owner TEXT NOT NULL,
  lease_until INTEGER NOT NULL,
  claimed_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  seed TEXT NOT NULL,
  -- Null: somebody is at work on it, or died.
  answer TEXT,
  PRIMARY KEY (account_id, key)
) STRICT;

CREATE INDEX idempotent_requests_by_expiry ON idempotent_requests (expires_at);

CREATE TABLE batches (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  body TEXT NOT NULL
) STRICT;

CREATE INDEX batches_by_account ON batches (account_id, id);

CREATE INDEX runs_by_batch ON runs (batch_id, status, completed_at) WHERE batch_id IS NOT NULL;

CREATE TABLE run_events (
  run_id TEXT NOT NULL REFERENCES runs (id),
  -- From 1, without gaps.
  position INTEGER NOT NULL,
  event_id TEXT NOT NULL,
  body TEXT NOT NULL, relayed INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (run_id, position),
  UNIQUE (run_id, event_id)
) STRICT;

CREATE INDEX run_events_to_relay ON run_events (run_id, position) WHERE relayed = 0;

CREATE TABLE webhooks (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  active INTEGER NOT NULL,
  failing_since INTEGER,
  body TEXT NOT NULL
) STRICT;

CREATE INDEX webhooks_by_account ON webhooks (account_id, id);

CREATE TABLE deliveries (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  webhook_id TEXT NOT NULL,
  run_id TEXT,
  event_id TEXT NOT NULL,
  event_type TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('pending', 'delivering', 'succeeded', 'failed', 'cancelled')),
  fence INTEGER NOT NULL,
  tries INTEGER NOT NULL,
  -- When it may be claimed: the next attempt, or the end of a lease. Null: it has ended.
  due_at INTEGER,
  created_at INTEGER NOT NULL,
  body TEXT NOT NULL,
  attempts TEXT NOT NULL
) STRICT;

CREATE INDEX deliveries_due ON deliveries (due_at, id, webhook_id) WHERE due_at IS NOT NULL;

CREATE INDEX deliveries_by_webhook ON deliveries (webhook_id, id);

CREATE INDEX deliveries_by_state ON deliveries (webhook_id, state, id);

CREATE INDEX deliveries_ended ON deliveries (created_at) WHERE due_at IS NULL;

CREATE TABLE run_checkpoints (
  run_id TEXT PRIMARY KEY REFERENCES runs (id),
  -- Of a run that has ended: how long its state at the end is kept. Null: it has not.
  keep_until INTEGER,
  body BLOB NOT NULL
) STRICT;

CREATE INDEX run_checkpoints_by_expiry ON run_checkpoints (keep_until) WHERE keep_until IS NOT NULL;

CREATE TABLE lessons (
  account_id TEXT NOT NULL REFERENCES accounts (id),
  version INTEGER NOT NULL,
  body TEXT,
  PRIMARY KEY (account_id, version)
) STRICT;
