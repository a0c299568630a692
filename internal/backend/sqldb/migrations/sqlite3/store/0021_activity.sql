-- +goose Up
-- The activity of an account (vitrine.ChangeQuery): for its owner, and to delete it by age.
CREATE INDEX changes_activity ON changes (account, id) WHERE action IN ('key', 'rotate', 'sign-in', 'password');
CREATE INDEX changes_activity_by_age ON changes (at) WHERE action IN ('key', 'rotate', 'sign-in', 'password');
