-- A hall's database as it was on 29 November 2026, when thirteen steps had made it.
BEGIN TRANSACTION;
CREATE TABLE absences (
	tournament VARCHAR(40) NOT NULL,
	round INTEGER NOT NULL,
	number INTEGER NOT NULL,
	worth VARCHAR(10) NOT NULL,
	PRIMARY KEY (tournament, round, number)
);
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL,
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('boards_that_left');
CREATE TABLE departures (
	board VARCHAR(40) NOT NULL,
	at DOUBLE NOT NULL,
	PRIMARY KEY (board)
);
CREATE TABLE entrants (
	tournament VARCHAR(40) NOT NULL,
	number INTEGER NOT NULL,
	name VARCHAR(100) NOT NULL,
	rating INTEGER NOT NULL,
	title VARCHAR(3) NOT NULL,
	sex VARCHAR(1) NOT NULL,
	federation VARCHAR(3) NOT NULL,
	fide_id BIGINT NOT NULL,
	birth VARCHAR(10) NOT NULL,
	since INTEGER NOT NULL,
	until INTEGER NOT NULL,
	PRIMARY KEY (tournament, number)
);
CREATE TABLE events (
	board VARCHAR(40) NOT NULL,
	game VARCHAR(80) NOT NULL,
	sequence INTEGER NOT NULL,
	event TEXT NOT NULL,
	previous VARCHAR(64) NOT NULL,
	hash VARCHAR(64) NOT NULL,
	PRIMARY KEY (board, game, sequence)
);
CREATE TABLE games (
	board VARCHAR(40) NOT NULL,
	name VARCHAR(80) NOT NULL,
	game VARCHAR(40) NOT NULL,
	rules VARCHAR(200) NOT NULL,
	begun VARCHAR(40) NOT NULL,
	plies INTEGER NOT NULL,
	result VARCHAR(20) NOT NULL,
	events INTEGER NOT NULL,
	head VARCHAR(64) NOT NULL,
	details TEXT NOT NULL, came INTEGER DEFAULT 0 NOT NULL, reason VARCHAR(20) DEFAULT '' NOT NULL,
	PRIMARY KEY (board, name)
);
CREATE TABLE halls (
	run VARCHAR(40) NOT NULL,
	begun DOUBLE NOT NULL,
	place VARCHAR(200) NOT NULL,
	seen DOUBLE NOT NULL,
	beat INTEGER NOT NULL,
	listens BOOLEAN NOT NULL,
	PRIMARY KEY (run)
);
CREATE TABLE itself (
	number INTEGER NOT NULL,
	name VARCHAR(40) NOT NULL,
	beat DOUBLE NOT NULL, opened VARCHAR(40) DEFAULT '' NOT NULL,
	PRIMARY KEY (number)
);
CREATE TABLE matters (
	id INTEGER NOT NULL,
	board VARCHAR(40) NOT NULL,
	game VARCHAR(80) NOT NULL,
	kind VARCHAR(20) NOT NULL,
	opened DOUBLE NOT NULL,
	state VARCHAR(10) NOT NULL,
	owner VARCHAR(100) NOT NULL,
	lease DOUBLE NOT NULL,
	version INTEGER NOT NULL,
	ruling TEXT NOT NULL, lasts BOOLEAN DEFAULT 0 NOT NULL, sent DOUBLE DEFAULT 0 NOT NULL, refused TEXT DEFAULT '' NOT NULL,
	PRIMARY KEY (id)
);
CREATE TABLE tables (
	tournament VARCHAR(40) NOT NULL,
	round INTEGER NOT NULL,
	"table" INTEGER NOT NULL,
	players VARCHAR(40) NOT NULL,
	board VARCHAR(40) NOT NULL,
	result VARCHAR(20) NOT NULL,
	game VARCHAR(80) NOT NULL,
	"after" VARCHAR(130) NOT NULL,
	source VARCHAR(100) NOT NULL, overruled VARCHAR(20) DEFAULT '' NOT NULL,
	PRIMARY KEY (tournament, round, "table")
);
CREATE TABLE tournaments (
	name VARCHAR(40) NOT NULL,
	said TEXT NOT NULL,
	version INTEGER NOT NULL,
	PRIMARY KEY (name)
);
CREATE INDEX matters_by_state ON matters (state, id);
CREATE UNIQUE INDEX one_matter_of_board ON matters (board, kind) WHERE lasts AND kind NOT IN ('missing', 'changed-later', 'contradicted', 'doubt', 'refused', 'flag');
CREATE UNIQUE INDEX one_matter_of_game ON matters (board, kind, game) WHERE lasts;
INSERT INTO tournaments VALUES('open','{}',7);
COMMIT;
