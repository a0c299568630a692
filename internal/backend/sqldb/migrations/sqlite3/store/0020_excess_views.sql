-- +goose Up
-- How many views of a link were above the limits of a network in an hour. They
-- are not in the view log. Account and link are as it knows them, also those of
-- websites.
CREATE TABLE excess_views (
    account BIGINT NOT NULL,
    link    BIGINT NOT NULL,
    hour    BIGINT NOT NULL, -- its beginning
    views   BIGINT NOT NULL,
    PRIMARY KEY (account, link, hour)
) WITHOUT ROWID;
CREATE INDEX excess_views_by_link ON excess_views (link);
