-- +goose Up
-- Under which numbers the view log knows websites and their pages.
CREATE TABLE site_pages (
    number BIGINT PRIMARY KEY, -- random; of the website as a whole its account in the log, of a page its link there
    site   BIGINT NOT NULL REFERENCES sites (id),
    path   TEXT   NOT NULL     -- of the file; '': the website as a whole
) WITHOUT ROWID;
CREATE UNIQUE INDEX site_pages_by_path ON site_pages (site, path);
