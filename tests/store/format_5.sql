BEGIN TRANSACTION;
CREATE TABLE answers (
	run VARCHAR NOT NULL, 
	lesson INTEGER NOT NULL, 
	step INTEGER NOT NULL, 
	seq INTEGER NOT NULL, 
	round VARCHAR NOT NULL, 
	agent VARCHAR NOT NULL, 
	kind VARCHAR NOT NULL, 
	content TEXT NOT NULL, 
	source VARCHAR NOT NULL, 
	status VARCHAR NOT NULL, 
	reason TEXT NOT NULL, 
	attempts INTEGER NOT NULL, 
	latency_ms FLOAT, 
	tokens_in INTEGER, 
	tokens_out INTEGER, 
	cost FLOAT, 
	tokens_cached INTEGER, 
	calls INTEGER, 
	PRIMARY KEY (run, lesson, step, seq), 
	CONSTRAINT known_status CHECK (status in ('ok', 'repaired', 'fallback', 'failed')), 
	FOREIGN KEY(run) REFERENCES runs (id)
)
 WITHOUT ROWID

;
INSERT INTO "answers" VALUES('first-s1-abc',1,1,0,'plan','student 0','plan','{"behaviour":"listening"}','embedded','ok','',1,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "answers" VALUES('taught-s2-abe',1,1,0,'reply','Ann','reply','{}','embedded','ok','',1,NULL,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE lessons (
	run VARCHAR NOT NULL, 
	lesson INTEGER NOT NULL, 
	status VARCHAR NOT NULL, 
	steps INTEGER NOT NULL, 
	started VARCHAR NOT NULL, 
	ended VARCHAR, 
	updated TEXT DEFAULT '' NOT NULL, 
	ok INTEGER DEFAULT 0 NOT NULL, 
	repaired INTEGER DEFAULT 0 NOT NULL, 
	fallback INTEGER DEFAULT 0 NOT NULL, 
	failed INTEGER DEFAULT 0 NOT NULL, 
	PRIMARY KEY (run, lesson), 
	CONSTRAINT known_status CHECK (status in ('running', 'complete')), 
	FOREIGN KEY(run) REFERENCES runs (id)
);
INSERT INTO "lessons" VALUES('first-s1-abc',1,'running',1,'2026-11-22T00:10:06+00:00',NULL,'2026-11-22T00:10:06+00:00',1,0,0,0);
INSERT INTO "lessons" VALUES('taught-s2-abe',1,'complete',1,'2026-11-22T00:10:06+00:00','2026-11-22T00:10:06+00:00','2026-11-22T00:10:06+00:00',1,0,0,0);
CREATE TABLE meta (
	"key" VARCHAR NOT NULL, 
	value TEXT NOT NULL, 
	PRIMARY KEY ("key")
);
INSERT INTO "meta" VALUES('application','eduverse-mesa');
INSERT INTO "meta" VALUES('version','0.1.0');
INSERT INTO "meta" VALUES('schema','5');
CREATE TABLE participants (
	number INTEGER NOT NULL, 
	id VARCHAR NOT NULL, 
	label TEXT NOT NULL, 
	role VARCHAR NOT NULL, 
	state VARCHAR NOT NULL, 
	created VARCHAR NOT NULL, 
	PRIMARY KEY (number), 
	CONSTRAINT known_role CHECK (role in ('student', 'teacher')), 
	CONSTRAINT known_state CHECK (state in ('present', 'erasing', 'erased')), 
	UNIQUE (id)
);
INSERT INTO "participants" VALUES(1,'p1','Ann','student','present','2026-11-22T00:10:06+00:00');
CREATE TABLE runs (
	number INTEGER NOT NULL, 
	id VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	seed VARCHAR NOT NULL, 
	scenario TEXT NOT NULL, 
	policy TEXT NOT NULL, 
	changes TEXT NOT NULL, 
	parent VARCHAR, 
	forked_lesson INTEGER, 
	forked_step INTEGER, 
	version VARCHAR NOT NULL, 
	status VARCHAR NOT NULL, 
	created VARCHAR NOT NULL, 
	updated VARCHAR NOT NULL, 
	spent TEXT DEFAULT '' NOT NULL, 
	title TEXT DEFAULT '' NOT NULL, 
	planned INTEGER DEFAULT 0 NOT NULL, 
	kind VARCHAR DEFAULT 'course' NOT NULL, 
	PRIMARY KEY (number), 
	CONSTRAINT known_status CHECK (status in ('running', 'complete', 'interrupted', 'failed')), 
	CONSTRAINT known_kind CHECK (kind in ('course', 'tutoring')), 
	UNIQUE (id), 
	FOREIGN KEY(parent) REFERENCES runs (id)
);
INSERT INTO "runs" VALUES(1,'first-s1-abc','lesson','1','{}','embedded','[]',NULL,NULL,NULL,'','complete','2026-11-22T00:10:06+00:00','2026-11-22T00:10:06+00:00','','',0,'course');
INSERT INTO "runs" VALUES(2,'second-s1-abd','lesson','1','{}','embedded','[]','first-s1-abc',1,1,'','complete','2026-11-22T00:10:06+00:00','2026-11-22T00:10:06+00:00','','',0,'course');
INSERT INTO "runs" VALUES(3,'taught-s2-abe','cohort','2','{}','embedded','[]',NULL,NULL,NULL,'','complete','2026-11-22T00:10:06+00:00','2026-11-22T00:10:06+00:00','','',0,'tutoring');
CREATE TABLE sittings (
	number INTEGER NOT NULL, 
	participant VARCHAR NOT NULL, 
	run VARCHAR NOT NULL, 
	agent VARCHAR NOT NULL, 
	from_lesson INTEGER NOT NULL, 
	from_step INTEGER NOT NULL, 
	to_lesson INTEGER, 
	to_step INTEGER, 
	reason TEXT DEFAULT '' NOT NULL, 
	PRIMARY KEY (number), 
	FOREIGN KEY(participant) REFERENCES participants (id), 
	FOREIGN KEY(run) REFERENCES runs (id)
);
INSERT INTO "sittings" VALUES(1,'p1','first-s1-abc','Liu Li',1,1,NULL,NULL,'');
CREATE TABLE steps (
	run VARCHAR NOT NULL, 
	lesson INTEGER NOT NULL, 
	step INTEGER NOT NULL, 
	digest VARCHAR NOT NULL, 
	PRIMARY KEY (run, lesson, step), 
	FOREIGN KEY(run) REFERENCES runs (id)
)
 WITHOUT ROWID

;
INSERT INTO "steps" VALUES('first-s1-abc',1,1,'d1');
INSERT INTO "steps" VALUES('taught-s2-abe',1,1,'d2');
CREATE TABLE student_memory (
	number INTEGER NOT NULL, 
	run VARCHAR NOT NULL, 
	lesson INTEGER NOT NULL, 
	student VARCHAR NOT NULL, 
	event VARCHAR NOT NULL, 
	content TEXT NOT NULL, 
	step INTEGER NOT NULL, 
	PRIMARY KEY (number), 
	FOREIGN KEY(run) REFERENCES runs (id)
);
INSERT INTO "student_memory" VALUES(1,'taught-s2-abe',1,'Ann','unit','said',1);
CREATE TABLE summaries (
	run VARCHAR NOT NULL, 
	lesson INTEGER NOT NULL, 
	student VARCHAR NOT NULL, 
	record TEXT NOT NULL, 
	PRIMARY KEY (run, lesson, student), 
	FOREIGN KEY(run) REFERENCES runs (id)
);
CREATE TABLE teacher_memory (
	number INTEGER NOT NULL, 
	run VARCHAR NOT NULL, 
	lesson INTEGER NOT NULL, 
	phase VARCHAR NOT NULL, 
	event VARCHAR NOT NULL, 
	content TEXT NOT NULL, 
	step INTEGER NOT NULL, 
	PRIMARY KEY (number), 
	FOREIGN KEY(run) REFERENCES runs (id)
);
CREATE INDEX ix_student_memory_run ON student_memory (run);
CREATE INDEX ix_teacher_memory_run ON teacher_memory (run);
CREATE INDEX ix_sittings_run ON sittings (run);
CREATE INDEX ix_sittings_participant ON sittings (participant);
COMMIT;
