-- +goose Up
-- The random number by which the database of accounts and links knows this log; 0: none yet.
ALTER TABLE log ADD COLUMN mark BIGINT NOT NULL DEFAULT 0;
