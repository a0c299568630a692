-- +goose Up
-- Read-only addresses of reports.
CREATE TABLE shared_reports (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    account    BIGINT  NOT NULL REFERENCES accounts (id),
    link       BIGINT  NOT NULL, -- 0: all links of the account
    hash       BLOB    NOT NULL UNIQUE, -- of the secret in the address
    label      TEXT    NOT NULL, -- for the owner
    password   TEXT    NOT NULL, -- a PHC string; '': none
    created_at BIGINT  NOT NULL,
    expires_at BIGINT -- NULL: good until it is revoked
);
CREATE INDEX shared_reports_by_account ON shared_reports (account, link);
CREATE INDEX shared_reports_by_expiry ON shared_reports (expires_at);
