-- +goose Up
-- What the person who allows a login gives to its key: its scope, and how many
-- milliseconds it is valid (0: without an end).
ALTER TABLE logins ADD COLUMN scope TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE logins ADD COLUMN key_life BIGINT NOT NULL DEFAULT 0;
