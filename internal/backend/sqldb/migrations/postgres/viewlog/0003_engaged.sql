-- +goose Up
-- Finds the newest views with engagement data among any number without.
CREATE INDEX opens_engaged ON opens (link, id) WHERE session IS NOT NULL;
