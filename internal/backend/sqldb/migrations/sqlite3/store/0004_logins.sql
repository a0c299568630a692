-- +goose Up
-- Requests of programs for an API key, which a person confirms in a browser.
CREATE TABLE logins (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    code       TEXT    NOT NULL UNIQUE, -- that the person compares
    hash       BLOB    NOT NULL UNIQUE, -- of the program's secret
    program    TEXT    NOT NULL,
    machine    TEXT    NOT NULL,
    state      TEXT    NOT NULL,
    account    BIGINT  NOT NULL, -- 0: nobody has decided
    created_at BIGINT  NOT NULL,
    expires_at BIGINT  NOT NULL
);
CREATE INDEX logins_by_expiry ON logins (expires_at);
