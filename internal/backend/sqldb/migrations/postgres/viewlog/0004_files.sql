-- +goose Up
-- Tallies count views by the version of the file that they showed: all are built again.
UPDATE accounts SET stale = forgotten, version = version + 1 WHERE stale > forgotten;
