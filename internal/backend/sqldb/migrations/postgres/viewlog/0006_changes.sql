-- +goose Up
-- A copy of the views outside of this database: its number (0: there is none), and the link and the view from which on views have
-- not been copied yet.
ALTER TABLE log ADD COLUMN copy BIGINT NOT NULL DEFAULT 0;
ALTER TABLE log ADD COLUMN next_link BIGINT NOT NULL DEFAULT 0;
ALTER TABLE log ADD COLUMN next_view BIGINT NOT NULL DEFAULT 0;

-- The views that transactions have added or changed since the copy began and that are not copied yet (changes.go).
CREATE TABLE changes (
    seq  BIGINT PRIMARY KEY, -- of the transaction
    at   BIGINT NOT NULL,    -- ms
    data BYTEA  NOT NULL
);
