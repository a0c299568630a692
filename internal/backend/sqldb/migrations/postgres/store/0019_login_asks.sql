-- +goose Up
-- What a program asks for its key at most, and then what the person gives to it:
-- until when the key is valid (NULL: without an end), and whether anybody has
-- chosen that. A code is valid for ten minutes: those that were asked for end.
DELETE FROM logins;
ALTER TABLE logins DROP COLUMN key_life;
ALTER TABLE logins ADD COLUMN key_expires_at BIGINT;
ALTER TABLE logins ADD COLUMN key_end_chosen BOOLEAN NOT NULL DEFAULT FALSE;
