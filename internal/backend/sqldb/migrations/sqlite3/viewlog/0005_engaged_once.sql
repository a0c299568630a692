-- +goose Up
-- Whether there is a session. By this column, a snapshot of a view that has one does not write to the index again.
DROP INDEX opens_engaged;
ALTER TABLE opens ADD COLUMN engaged BOOLEAN NOT NULL DEFAULT FALSE;
UPDATE opens SET engaged = TRUE WHERE session IS NOT NULL;
CREATE INDEX opens_engaged ON opens (link, id) WHERE engaged;
