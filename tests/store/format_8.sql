BEGIN TRANSACTION;
CREATE TABLE account_groups (
	number INTEGER NOT NULL, 
	id VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	made_by VARCHAR NOT NULL, 
	created VARCHAR NOT NULL, 
	PRIMARY KEY (number), 
	UNIQUE (id), 
	FOREIGN KEY(made_by) REFERENCES accounts (id)
);
CREATE TABLE accounts (
	number INTEGER NOT NULL, 
	id VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	role VARCHAR NOT NULL, 
	password VARCHAR NOT NULL, 
	language VARCHAR NOT NULL, 
	made_by VARCHAR, 
	created VARCHAR NOT NULL, 
	PRIMARY KEY (number), 
	CONSTRAINT known_role CHECK (role in ('student', 'teacher')), 
	UNIQUE (id), 
	UNIQUE (name), 
	FOREIGN KEY(made_by) REFERENCES accounts (id)
);
CREATE TABLE alerts (
	number INTEGER NOT NULL, 
	id VARCHAR NOT NULL, 
	run VARCHAR NOT NULL, 
	lesson INTEGER NOT NULL, 
	step INTEGER NOT NULL, 
	speaker VARCHAR NOT NULL, 
	text TEXT NOT NULL, 
	at VARCHAR NOT NULL, 
	participant VARCHAR, 
	verdict VARCHAR NOT NULL, 
	settled_by VARCHAR NOT NULL, 
	settled_at VARCHAR NOT NULL, 
	PRIMARY KEY (number), 
	CONSTRAINT known_verdict CHECK (verdict in ('', 'seen', 'false')), 
	UNIQUE (id), 
	FOREIGN KEY(run) REFERENCES runs (id), 
	FOREIGN KEY(participant) REFERENCES participants (id)
);
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
INSERT INTO "answers" VALUES('first_lesson-s1-e09c42',1,0,0,'prepare','Ms Lin','prepare','{"phases":[{"name":"instruction","activities":[0]}]}','llm','ok','',1,16.2425980001899,1000,50,NULL,600,1);
INSERT INTO "answers" VALUES('first_lesson-s1-e09c42',1,1,0,'teacher','Ms Lin','take_turn','{"category":"instruction","act":"giving_directions","tone":"encouraging","sentences":[{"text":"I think that it is about what we have read, and that there is a re","move":"press-accuracy"}],"called":[],"addressed":["Wang Fang"],"reason":"I think that it is about what we have read"}','llm','ok','',1,1.19776699966678279452e+00,NULL,NULL,NULL,NULL,1);
INSERT INTO "answers" VALUES('first_lesson-s1-e09c42',1,1,1,'plan','Zhang Jie','plan','{"sentence":"I think that it is about what we have read","behaviour":"side_talk","partner":"Liu Li"}','llm','ok','',1,1.32768620001115777995e+01,1000,50,NULL,600,1);
INSERT INTO "answers" VALUES('first_lesson-s1-e09c42',1,1,2,'plan','Liu Li','plan','{"sentence":"I think that it is about what we have read","behaviour":"ask_question","partner":"Zhang Jie"}','llm','ok','',1,1.30261189997327164746e+01,1000,50,NULL,600,1);
INSERT INTO "answers" VALUES('first_lesson-s1-e09c42',1,1,3,'plan','Wang Fang','plan','{"sentence":"I think that it is about what we have read","behaviour":"head_up","partner":""}','llm','ok','',1,1.26566069998261809814e+01,1000,50,NULL,600,1);
INSERT INTO "answers" VALUES('first_lesson-s1-e09c42',1,1,4,'plan','Li Wei','plan','{"sentence":"I think that it is about what we have read","behaviour":"ask_question","partner":"Zhang Tao"}','llm','ok','',1,1.24658419999832403846e+01,1000,50,NULL,600,1);
INSERT INTO "answers" VALUES('first_lesson-s1-e09c42',1,1,5,'plan','Zhang Tao','plan','{"sentence":"I think that it is about what we have read","behaviour":"head_up","partner":""}','llm','ok','',1,1.23534849999487050808e+01,1000,50,NULL,600,1);
INSERT INTO "answers" VALUES('first_lesson-s1-e09c42',1,1,6,'plan','Zhang Yan','plan','{"sentence":"I think that it is about what we have read","behaviour":"sleep","partner":""}','llm','ok','',1,1.21607269998094125185e+01,1000,50,NULL,600,1);
INSERT INTO "answers" VALUES('first_lesson-s1-e09c42',1,1,7,'draft','Zhang Jie','draft','{"sentences":[{"text":"I think that it is about what we have read, and","move":"evidence"}]}','llm','ok','',1,0.0,NULL,NULL,NULL,NULL,0);
INSERT INTO "answers" VALUES('first_lesson-s1-e09c42',1,1,8,'draft','Liu Li','draft','{"sentences":[{"text":"I think that it is about what we have read, and","move":"claim"}]}','llm','ok','',1,0.0,NULL,NULL,NULL,NULL,0);
INSERT INTO "answers" VALUES('first_lesson-s1-e09c42',1,1,9,'draft','Li Wei','draft','{"sentences":[{"text":"I think that it is about what we have read, and","move":"evidence"}]}','llm','ok','',1,0.0,NULL,NULL,NULL,NULL,0);
INSERT INTO "answers" VALUES('first_lesson-s1-e09c42',1,1,10,'style','Zhang Jie','style','{"sentences":[{"text":"I think that it is about what we have read, and","move":"evidence"}]}','llm','ok','',1,0.0,NULL,NULL,NULL,NULL,0);
INSERT INTO "answers" VALUES('first_lesson-s1-e09c42',1,1,11,'style','Liu Li','style','{"sentences":[{"text":"I think that it is about what we have read, and","move":"claim"}]}','llm','ok','',1,0.0,NULL,NULL,NULL,NULL,0);
INSERT INTO "answers" VALUES('first_lesson-s1-e09c42',1,1,12,'style','Li Wei','style','{"sentences":[{"text":"I think that it is about what we have read, and","move":"evidence"}]}','llm','ok','',1,0.0,NULL,NULL,NULL,NULL,0);
INSERT INTO "answers" VALUES('first_lesson-s1-e09c42',1,1,13,'monitor','Zhang Jie','monitor','{"sentence":"I think that it is about what we have read","emotion":"positive","cognition":"remember"}','llm','ok','',1,0.0,NULL,NULL,NULL,NULL,0);
INSERT INTO "answers" VALUES('first_lesson-s1-e09c42',1,1,14,'monitor','Liu Li','monitor','{"sentence":"I think that it is about what we have read","emotion":"confused","cognition":"analyse"}','llm','ok','',1,0.0,NULL,NULL,NULL,NULL,0);
INSERT INTO "answers" VALUES('first_lesson-s1-e09c42',1,1,15,'monitor','Wang Fang','monitor','{"sentence":"I think that it is about what we have read","emotion":"positive","cognition":"evaluate"}','llm','ok','',1,0.0,NULL,NULL,NULL,NULL,0);
INSERT INTO "answers" VALUES('first_lesson-s1-e09c42',1,1,16,'monitor','Li Wei','monitor','{"sentence":"I think that it is about what we have read","emotion":"positive","cognition":"analyse"}','llm','ok','',1,0.0,NULL,NULL,NULL,NULL,0);
INSERT INTO "answers" VALUES('first_lesson-s1-e09c42',1,1,17,'monitor','Zhang Tao','monitor','{"sentence":"I think that it is about what we have read","emotion":"confused","cognition":"remember"}','llm','ok','',1,0.0,NULL,NULL,NULL,NULL,0);
INSERT INTO "answers" VALUES('first_lesson-s1-e09c42',1,1,18,'monitor','Zhang Yan','monitor','{"sentence":"I think that it is about what we have read","emotion":"confused","cognition":"apply"}','llm','ok','',1,0.0,NULL,NULL,NULL,NULL,0);
INSERT INTO "answers" VALUES('first_lesson-s1-e09c42',1,1,19,'feedback','Ms Lin','give_feedback','{"items":[{"student":"Zhang Jie","polarity":"negative","sentences":[{"text":"I think that it is about what we have read, and that there is a re","move":"none"}],"took_up":false}]}','llm','ok','',1,2.14981910003189113922e+01,NULL,NULL,NULL,NULL,1);
INSERT INTO "answers" VALUES('first_lesson-s1-e09c42',1,1,20,'regulate','Zhang Jie','regulate','{"sentence":"I think that it is about what we have read","strategy":"keep"}','llm','ok','',1,0.0,NULL,NULL,NULL,NULL,0);
INSERT INTO "answers" VALUES('first_lesson-s1-e09c42',1,1,21,'regulate','Liu Li','regulate','{"sentence":"I think that it is about what we have read","strategy":"withdraw"}','llm','ok','',1,0.0,NULL,NULL,NULL,NULL,0);
INSERT INTO "answers" VALUES('first_lesson-s1-e09c42',1,1,22,'regulate','Wang Fang','regulate','{"sentence":"I think that it is about what we have read","strategy":"seek_help"}','llm','ok','',1,0.0,NULL,NULL,NULL,NULL,0);
INSERT INTO "answers" VALUES('first_lesson-s1-e09c42',1,1,23,'regulate','Li Wei','regulate','{"sentence":"I think that it is about what we have read","strategy":"refocus"}','llm','ok','',1,0.0,NULL,NULL,NULL,NULL,0);
INSERT INTO "answers" VALUES('first_lesson-s1-e09c42',1,1,24,'regulate','Zhang Tao','regulate','{"sentence":"I think that it is about what we have read","strategy":"refocus"}','llm','ok','',1,0.0,NULL,NULL,NULL,NULL,0);
INSERT INTO "answers" VALUES('first_lesson-s1-e09c42',1,1,25,'regulate','Zhang Yan','regulate','{"sentence":"I think that it is about what we have read","strategy":"refocus"}','llm','ok','',1,0.0,NULL,NULL,NULL,NULL,0);
INSERT INTO "answers" VALUES('first_lesson-s1-e09c42',1,1,26,'closing','Zhang Jie','summarise','{"summary":"I think that it is about what we have read","portrait":"I think that it is about what we have read","regulation":"I think that it is about what we have read","strategy":"participate"}','llm','ok','',1,4.93224000001646345481e+00,1000,50,NULL,600,1);
INSERT INTO "answers" VALUES('first_lesson-s1-e09c42',1,1,27,'closing','Liu Li','summarise','{"summary":"I think that it is about what we have read","portrait":"I think that it is about what we have read","regulation":"I think that it is about what we have read","strategy":"seek_help"}','llm','ok','',1,4.72922700009803520515e+00,1000,50,NULL,600,1);
INSERT INTO "answers" VALUES('first_lesson-s1-e09c42',1,1,28,'closing','Wang Fang','summarise','{"summary":"I think that it is about what we have read","portrait":"I think that it is about what we have read","regulation":"I think that it is about what we have read","strategy":"cooperate"}','llm','ok','',1,4.67296399983752053231e+00,1000,50,NULL,600,1);
INSERT INTO "answers" VALUES('first_lesson-s1-e09c42',1,1,29,'closing','Li Wei','summarise','{"summary":"I think that it is about what we have read","portrait":"I think that it is about what we have read","regulation":"I think that it is about what we have read","strategy":"calm"}','llm','ok','',1,12.6896060000945,1000,50,NULL,600,1);
INSERT INTO "answers" VALUES('first_lesson-s1-e09c42',1,1,30,'closing','Zhang Tao','summarise','{"summary":"I think that it is about what we have read","portrait":"I think that it is about what we have read","regulation":"I think that it is about what we have read","strategy":"refocus"}','llm','ok','',1,1.28261499999098305124e+01,1000,50,NULL,600,1);
INSERT INTO "answers" VALUES('first_lesson-s1-e09c42',1,1,31,'closing','Zhang Yan','summarise','{"summary":"I think that it is about what we have read","portrait":"I think that it is about what we have read","regulation":"I think that it is about what we have read","strategy":"seek_help"}','llm','ok','',1,1.28055790000871638767e+01,1000,50,NULL,600,1);
INSERT INTO "answers" VALUES('first_lesson-s1-e09c42',1,1,32,'closing','Ms Lin','evaluate','{"items":[{"student":"Zhang Jie","sentence":"I think that it is about what we have read","rating":0.6},{"student":"Liu Li","sentence":"I think that it is about what we have read","rating":-0.6},{"student":"Wang Fang","sentence":"I think that it is about what we have read","rating":-0.4},{"student":"Li Wei","sentence":"I think that it is about what we have read","rating":0.2},{"student":"Zhang Tao","sentence":"I think that it is about what we have read","rating":-0.6},{"student":"Zhang Yan","sentence":"I think that it is about what we have read","rating":-1.0}]}','llm','ok','',1,1.25530619998244219459e+01,NULL,NULL,NULL,NULL,1);
CREATE TABLE assigned (
	assignment VARCHAR NOT NULL, 
	account VARCHAR NOT NULL, 
	PRIMARY KEY (assignment, account), 
	FOREIGN KEY(assignment) REFERENCES assignments (id), 
	FOREIGN KEY(account) REFERENCES accounts (id)
);
CREATE TABLE assignments (
	number INTEGER NOT NULL, 
	id VARCHAR NOT NULL, 
	title VARCHAR NOT NULL, 
	setup TEXT NOT NULL, 
	made_by VARCHAR NOT NULL, 
	created VARCHAR NOT NULL, 
	PRIMARY KEY (number), 
	UNIQUE (id), 
	FOREIGN KEY(made_by) REFERENCES accounts (id)
);
CREATE TABLE consents (
	account VARCHAR NOT NULL, 
	wording TEXT NOT NULL, 
	at VARCHAR NOT NULL, 
	PRIMARY KEY (account), 
	FOREIGN KEY(account) REFERENCES accounts (id)
);
CREATE TABLE group_members (
	of_group VARCHAR NOT NULL, 
	account VARCHAR NOT NULL, 
	PRIMARY KEY (of_group, account), 
	FOREIGN KEY(of_group) REFERENCES account_groups (id), 
	FOREIGN KEY(account) REFERENCES accounts (id)
);
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
INSERT INTO "lessons" VALUES('first_lesson-s1-e09c42',1,'complete',1,'2026-11-22T22:49:48+00:00','2026-11-22T22:49:48+00:00','2026-11-22T22:49:48+00:00',34,0,0,0);
CREATE TABLE logins (
	token VARCHAR NOT NULL, 
	account VARCHAR NOT NULL, 
	began FLOAT NOT NULL, 
	seen FLOAT NOT NULL, 
	PRIMARY KEY (token), 
	FOREIGN KEY(account) REFERENCES accounts (id)
);
CREATE TABLE messages (
	run VARCHAR NOT NULL, 
	step INTEGER NOT NULL, 
	speaker VARCHAR NOT NULL, 
	text TEXT NOT NULL, 
	stage VARCHAR NOT NULL, 
	now FLOAT NOT NULL, 
	at VARCHAR NOT NULL, 
	"key" VARCHAR, 
	PRIMARY KEY (run, step), 
	UNIQUE (run, "key"), 
	FOREIGN KEY(run) REFERENCES runs (id)
)
 WITHOUT ROWID

;
CREATE TABLE meta (
	"key" VARCHAR NOT NULL, 
	value TEXT NOT NULL, 
	PRIMARY KEY ("key")
);
INSERT INTO "meta" VALUES('application','eduverse-mesa');
INSERT INTO "meta" VALUES('version','0.1.0');
INSERT INTO "meta" VALUES('schema','8');
CREATE TABLE own_problems (
	number INTEGER NOT NULL, 
	id VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	document TEXT NOT NULL, 
	made_by VARCHAR NOT NULL, 
	updated VARCHAR NOT NULL, 
	PRIMARY KEY (number), 
	UNIQUE (id), 
	FOREIGN KEY(made_by) REFERENCES accounts (id)
);
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
CREATE TABLE refusals (
	"key" VARCHAR NOT NULL, 
	tries INTEGER NOT NULL, 
	last FLOAT NOT NULL, 
	PRIMARY KEY ("key")
);
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
	rules INTEGER DEFAULT 0 NOT NULL, 
	PRIMARY KEY (number), 
	CONSTRAINT known_status CHECK (status in ('running', 'complete', 'interrupted', 'failed')), 
	CONSTRAINT known_kind CHECK (kind in ('course', 'tutoring', 'collaboration')), 
	UNIQUE (id), 
	FOREIGN KEY(parent) REFERENCES runs (id)
);
INSERT INTO "runs" VALUES(1,'first_lesson-s1-e09c42','first_lesson','1','{"name":"first_lesson","title":"A first lesson: spring, in two rows of three","kind":"scenario","eduverse":1,"layout":{"name":"lecture","title":"Lecture: two rows of three, facing the board","kind":"layout","mode":"lecture","grid":{"width":30,"height":20},"sectors":[{"name":"teacher_zone","arenas":[{"name":"display","area":[8,0,20,0],"presentation":false,"objects":[{"name":"board","kind":"board","at":[14,0],"items":["chalk","eraser"],"radius":0.0}]},{"name":"podium","area":[8,1,20,3],"presentation":false,"objects":[{"name":"lectern","kind":"lectern","at":[16,2],"items":["cup","textbook","chalk"],"radius":0.0}]}]},{"name":"student_zone","arenas":[{"name":"instruction","area":[8,4,20,10],"presentation":true,"objects":[{"name":"desk A","kind":"desk","at":[10,6],"items":["textbook","pen","bag"],"radius":0.0},{"name":"desk B","kind":"desk","at":[10,9],"items":["textbook","pen","bag"],"radius":0.0},{"name":"whiteboard","kind":"whiteboard","at":[20,4],"items":[],"radius":0.0}]},{"name":"group_a","area":[2,5,7,10],"presentation":false,"objects":[{"name":"side table A","kind":"table","at":[4,8],"items":["textbook","bag"],"radius":0.0}]},{"name":"group_b","area":[21,5,27,10],"presentation":false,"objects":[{"name":"side table B","kind":"table","at":[24,8],"items":["textbook","bag"],"radius":0.0}]}]},{"name":"activity_zone","arenas":[{"name":"storage","area":[25,16,29,19],"presentation":false,"objects":[{"name":"cupboard","kind":"cupboard","at":[29,18],"items":["broom","clock"],"radius":0.0},{"name":"water dispenser","kind":"water_dispenser","at":[29,16],"items":["cup"],"radius":0.0}]}]}],"teacher":[13,2],"seats":[],"patterns":[{"pattern":"rows","prefix":"r","origin":[12,6],"rows":2,"columns":3,"spacing":[2,3],"group":null}],"seat_graph":[{"rule":"distance","do":"add","within":4.5,"same_group_bonus":1.0,"pairs":[],"groups":[]},{"rule":"same_row","do":"keep","within":4.5,"same_group_bonus":0.0,"pairs":[],"groups":[]}],"description":"Neighbours in a row can talk; rows cannot turn to one another."},"class":{"name":"six","title":"Six students, six temperaments","kind":"class","teacher":{"name":"Ms Lin","style":{"questioning":0.6,"pressing":0.5,"revoicing":0.55,"warmth":0.7,"talkativeness":0.5,"fairness":0.5,"discussion":0.45,"vigilance":0.5},"portrait":"Twelve years in the classroom. Asks a good deal and waits for the answer, repeats what a shy student has said so that everybody hears it, and would rather walk past a chatting desk than scold it."},"students":[{"name":"Zhang Jie","age":14,"gender":"M","seat":null,"group":null,"perception":null,"traits":{"openness":0.55,"conscientiousness":0.52,"extraversion":0.9,"agreeableness":0.5,"neuroticism":0.45},"cognitive_style":"field_independent","thinking":"reflective","motivation":0.86,"ability":0.62,"role":"academic","initial":{"behaviour":"head_up","emotion":"positive","cognition":"understand"},"portrait":{"language_style":"Full sentences in a clear voice; likes to begin with what he thinks and to add one more point.","class_behaviour":"His hand is up early. He starts discussions, stands up gladly, and asks when something does not fit.","learning_preference":"Learns by talking things through and by defending an opinion against a good objection.","teacher_guidance":"Give him problems with more than one answer, and ask him to listen to two others first.","role_description":"The voice that gets the others going; can crowd out the quiet ones without noticing."},"speech":{"hedging":null,"filling":null,"verbosity":null,"fillers":[]}},{"name":"Liu Li","age":13,"gender":"F","seat":null,"group":null,"perception":null,"traits":{"openness":0.1,"conscientiousness":0.45,"extraversion":0.48,"agreeableness":0.5,"neuroticism":0.55},"cognitive_style":"field_dependent","thinking":"impulsive","motivation":0.25,"ability":0.45,"role":"off_task","initial":{"behaviour":"head_down","emotion":"confused","cognition":"remember"},"portrait":{"language_style":"One or two words, often a sigh or a laugh; when something moves her, it bursts out.","class_behaviour":"Looks out of the window or into her pencil case and avoids the teacher''s eyes.","learning_preference":"Likes what is familiar and close to her own life; new kinds of tasks make her give up quickly.","teacher_guidance":"Sit near her, ask small questions about feelings, and show her that a short answer counts.","role_description":"Drifts at the edge of the class, yet answers with real feeling when a topic touches her."},"speech":{"hedging":null,"filling":null,"verbosity":null,"fillers":[]}},{"name":"Wang Fang","age":13,"gender":"F","seat":null,"group":null,"perception":null,"traits":{"openness":0.52,"conscientiousness":0.55,"extraversion":0.45,"agreeableness":0.52,"neuroticism":0.9},"cognitive_style":"field_dependent","thinking":"reflective","motivation":0.84,"ability":0.6,"role":"academic","initial":{"behaviour":"head_down","emotion":"positive","cognition":"understand"},"portrait":{"language_style":"Halting, with \"um\" and second starts; a sentence is sometimes given up halfway and begun anew.","class_behaviour":"Rarely raises her hand and blushes when called, but follows every word; warms up in the course of a lesson.","learning_preference":"Works slowly and in good order, with notes and sketches, at her own pace.","teacher_guidance":"Quick and kind feedback, tasks in small steps, and a chance to write before she has to speak.","role_description":"The one who can sum up in a group what has been said, provided that nobody hurries her."},"speech":{"hedging":0.75,"filling":0.7,"verbosity":null,"fillers":["um","er"]}},{"name":"Li Wei","age":14,"gender":"M","seat":null,"group":null,"perception":null,"traits":{"openness":0.1,"conscientiousness":0.55,"extraversion":0.58,"agreeableness":0.55,"neuroticism":0.48},"cognitive_style":"field_dependent","thinking":"impulsive","motivation":0.82,"ability":0.54,"role":"discussion","initial":{"behaviour":"head_up","emotion":"positive","cognition":"understand"},"portrait":{"language_style":"Orderly and a little formal; counts his points, and asks the others whether they agree.","class_behaviour":"Takes charge when a group has to agree, hands out turns, and wants a result in the end.","learning_preference":"Prefers clear rules and models that have worked before; strange ideas need a practical use.","teacher_guidance":"Let him lead, but ask him for a second solution that he would not have chosen.","role_description":"Chair of the group, quick to decide and careful that everyone has had a say."},"speech":{"hedging":null,"filling":null,"verbosity":null,"fillers":[]}},{"name":"Zhang Tao","age":14,"gender":"M","seat":null,"group":null,"perception":null,"traits":{"openness":0.5,"conscientiousness":0.1,"extraversion":0.57,"agreeableness":0.48,"neuroticism":0.5},"cognitive_style":"field_dependent","thinking":"impulsive","motivation":0.22,"ability":0.46,"role":"off_task","initial":{"behaviour":"head_up","emotion":"positive","cognition":"remember"},"portrait":{"language_style":"Loose and jokey, with words from games and videos; says the first thing that comes to mind.","class_behaviour":"Starts a task late and drops it early; turns to a neighbour about something quite different.","learning_preference":"Wakes up when there is something to do, to play or to win, and in short stretches only.","teacher_guidance":"Short tasks with a visible end, a job to hold, and a friendly word before the second reminder.","role_description":"The class''s entertainer; draws others off the task, and now and then into a good idea."},"speech":{"hedging":null,"filling":null,"verbosity":null,"fillers":[]}},{"name":"Zhang Yan","age":13,"gender":"F","seat":null,"group":null,"perception":null,"traits":{"openness":0.55,"conscientiousness":0.58,"extraversion":0.52,"agreeableness":0.9,"neuroticism":0.45},"cognitive_style":"field_independent","thinking":"reflective","motivation":0.85,"ability":0.6,"role":"academic","initial":{"behaviour":"note_taking","emotion":"positive","cognition":"understand"},"portrait":{"language_style":"Warm and polite; takes up what somebody else has said before she adds her own thought.","class_behaviour":"Helps the people around her, nods, shares her notes, and answers when it is of use to the others.","learning_preference":"Likes to work with a partner and to explain; thinks a matter through before she speaks.","teacher_guidance":"Ask her where she disagrees, since she gives way too easily for the sake of peace.","role_description":"The one everybody likes to sit beside; holds a group together and brings in the silent."},"speech":{"hedging":null,"filling":null,"verbosity":null,"fillers":[]}}],"sample":null,"description":"Three academic students, one who leads discussions, and two who are often elsewhere, with their teacher."},"lessons":[{"name":"spring_1","title":"Spring, first session: grass and blossom","kind":"lesson","language":"en","subject":"chinese","genre":"lyrical_prose","series":"spring","interest":0.55,"demand":0.4,"text":"In a short essay from the 1930s, Zhu Ziqing paints the arrival of spring as a row of pictures. It begins with somebody who can hardly wait. Then winter''s sleep ends: hills, water and sun wake up. New grass works its way out of the ground almost unnoticed, and soon children are tumbling about on it. Fruit trees break into flower as though each wanted to be first, in red, pink and white; their scent already promises fruit. Bees are busy under the branches, and down in the grass wild flowers are scattered without number. Nearly everything in these pictures moves, wishes or plays, and so the season seems to be a living creature that has come to visit us.","goals":[{"id":"mood","text":"Feel the writer''s longing and joy, and say which words carry it.","needs":[]},{"id":"pictures","text":"Name the pictures of spring in their order and say why they come in that order.","needs":[]},{"id":"senses","text":"Show how sight, sound and smell work together in one picture.","needs":[]},{"id":"personification","text":"Recognise personification and explain what it does to a reader.","needs":[]}],"ideas":[{"id":"longing","goal":"mood","text":"The piece opens with somebody longing for spring, and the wish is spoken twice so that we feel the wait.","because":"a wish that is repeated sounds like a person counting the days","partial":"He really wants spring to come, I think.","misconception":"He''s bored, so he just says the same thing twice.","keywords":["longing","waiting","wish"]},{"id":"awakening","goal":"pictures","text":"As soon as spring arrives, hills, water and sun all seem to open their eyes after a deep sleep.","because":"winter is treated as one long night that is now over","partial":"The hills wake up or something.","misconception":"The animals, they come out of hibernation.","keywords":["waking","sleep","hills"]},{"id":"grass","goal":"personification","text":"The new grass does not merely grow, it sneaks out of the soil like a child who hopes nobody is looking.","because":"it behaves as if it did not want to be seen","partial":"The grass is kind of like a kid.","misconception":"It just grows, and it''s short like a child.","keywords":["child","sneaking","secret"]},{"id":"play","goal":"mood","text":"Children roll and race on the fresh green, and with their laughter the meadow turns into a playground.","because":"joy is easier to feel when we see someone having fun","partial":"Some kids are running around there.","misconception":"Kind of sad, those kids should be in school.","keywords":["playground","laughter","children"]},{"id":"race","goal":"personification","text":"The fruit trees burst into flower as if it were a race and no tree could bear to be second.","because":"competing turns a quiet orchard into a lively crowd","partial":"All the trees bloom at one time.","misconception":"When they fight for water and the weak ones die.","keywords":["race","trees","first"]},{"id":"colours","goal":"senses","text":"Each blossom gets a comparison of its own, fire for the red, sunset for the pink, snow for the white.","because":"a comparison shows a shade more exactly than a bare colour word","partial":"Red, the bright red one, I guess.","misconception":"Fire, because it was so hot that day.","keywords":["colours","fire","snow"]},{"id":"scent","goal":"senses","text":"With his eyes closed the writer smells the blossom, and in his mind ripe fruit is already hanging there.","because":"a smell can call up something that has not happened yet","partial":"He notices how sweet it smells.","misconception":"Nothing, the peaches are on the branches already.","keywords":["smell","fruit","imagine"]},{"id":"bees","goal":"senses","text":"Under the branches bees hum and butterflies dance, so the still picture suddenly has a sound and a movement.","because":"humming reaches us even when we are not looking","partial":"You can hear some bees.","misconception":"Fear, those insects are meant to be scary.","keywords":["humming","bees","sound"]},{"id":"path","goal":"pictures","text":"Our eye is led from the treetops down to the wild flowers at our feet, slowly, like a camera moving.","because":"one clear path keeps so many details from becoming a muddle","partial":"It wouldn''t go from high to low.","misconception":"Nothing, he just wrote things down as he saw them.","keywords":["camera","downwards","path"]},{"id":"personification","goal":"personification","text":"Giving a thing the acts and wishes of a human being is called personification, and it makes us care.","because":"we feel for whatever seems to have wishes of its own","partial":"A thing acts human somehow.","misconception":"You describe a real person, like my grandma.","keywords":["personification","human","wishes"]},{"id":"simile","goal":"personification","text":"A simile says that two things look alike, whereas personification lets the thing itself behave like one of us.","because":"snowy blossom is only compared, but racing blossom joins in","partial":"One uses \"like\", the other doesn''t.","misconception":"Any line that has \"like\" in it is personification.","keywords":["simile","alike","compare"]}],"questions":[{"id":"longing_feel","idea":"longing","ask":"What is the person at the very beginning feeling?","bloom":"understand","press":"accuracy","answer":"He''s impatient, he can''t wait for warm days.","short_answer":"impatient"},{"id":"longing_twice","idea":"longing","ask":"Why would a careful writer say the same wish two times?","bloom":"analyse","press":"reasoning","answer":"So we notice how badly he wants spring.","short_answer":"more longing"},{"id":"awakening_who","idea":"awakening","ask":"Which three things wake up first?","bloom":"remember","press":"accuracy","answer":"The hills, the water and then the sun.","short_answer":"hills, water, sun"},{"id":"grass_how","idea":"grass","ask":"In what manner does the grass come out of the ground?","bloom":"remember","press":"accuracy","answer":"It comes up secretly, like it is sneaking out.","short_answer":"secretly"},{"id":"grass_child","idea":"grass","ask":"What makes you think of a child when you read about the grass?","bloom":"understand","press":"reasoning","answer":"It sneaks up on us the way little kids do.","short_answer":"the sneaking"},{"id":"grass_add","idea":"grass","ask":"Who sees the grass differently from what we have just heard?","bloom":"evaluate","press":"relate","answer":"I see a shy kid more than a cheeky one.","short_answer":"a shy kid"},{"id":"play_mood","idea":"play","ask":"What is the mood on the meadow?","bloom":"understand","press":"accuracy","answer":"Happy and wild, like break time outside.","short_answer":"happy"},{"id":"race_word","idea":"race","ask":"Where in the orchard do you notice trees behaving like people?","bloom":"apply","press":"accuracy","answer":"When they all try to flower before the others.","short_answer":"the flower race"},{"id":"colours_which","idea":"colours","ask":"Which colours do you see when you shut your eyes and listen to these lines?","bloom":"remember","press":"accuracy","answer":"Bright red, then pink, then white at the end.","short_answer":"red, pink, white"},{"id":"colours_why","idea":"colours","ask":"Which of the comparisons works best for you, and why?","bloom":"evaluate","press":"reasoning","answer":"The snow one, it shows how clean the white is.","short_answer":"the snow"},{"id":"scent_what","idea":"scent","ask":"What does the sweet air make the writer imagine?","bloom":"understand","press":"accuracy","answer":"He pictures the ripe fruit that comes in summer.","short_answer":"ripe fruit"},{"id":"bees_sense","idea":"bees","ask":"Which of our senses wakes up when the bees arrive?","bloom":"apply","press":"accuracy","answer":"Hearing, you can almost listen to the buzzing.","short_answer":"hearing"},{"id":"path_order","idea":"path","ask":"What would be lost if he jumped straight from the trees to the hills and back to the flowers?","bloom":"analyse","press":"reasoning","answer":"You''d get lost, nothing would lead your eyes.","short_answer":"the order"},{"id":"person_name","idea":"personification","ask":"What do we mean by personification?","bloom":"remember","press":"accuracy","answer":"A plant or a thing gets human wishes.","short_answer":"human wishes"},{"id":"person_create","idea":"personification","ask":"Who can invent an example of personification, perhaps with a window or a raindrop?","bloom":"create","press":"accuracy","answer":"The window blinked and rubbed the frost off its face.","short_answer":"blinking window"},{"id":"simile_tell","idea":"simile","ask":"How can you tell that snowy blossom is a simile and racing blossom is not?","bloom":"analyse","press":"reasoning","answer":"Snowy just looks alike, racing is really doing something.","short_answer":"racing is doing"},{"id":"best_picture","idea":"play","ask":"Is the meadow really the liveliest picture, as some of you say, or would you choose another?","bloom":"evaluate","press":"relate","answer":"I''d still choose the meadow with all that laughing.","short_answer":"the meadow"}],"phases":[{"name":"introduction","share":0.13,"summary":"We recall the end of winter and listen to the opening.","activities":[{"do":"manage","idea":null,"question":null,"text":"Books open at the piece about spring, please, and then pens down."},{"do":"ask","idea":null,"question":"longing_feel","text":null},{"do":"read","idea":"longing","question":null,"text":"Listen with your eyes shut while one of you reads the opening aloud."},{"do":"explain","idea":"longing","question":null,"text":null}]},{"name":"instruction","share":0.4,"summary":"We walk through the first pictures, grass and blossom, line by line.","activities":[{"do":"ask","idea":null,"question":"awakening_who","text":null},{"do":"explain","idea":"awakening","question":null,"text":null},{"do":"read","idea":"grass","question":null,"text":"Let us read the part about the grass together, softly, as if it were a secret."},{"do":"ask","idea":null,"question":"grass_how","text":null},{"do":"ask","idea":null,"question":"grass_child","text":null},{"do":"explain","idea":"grass","question":null,"text":null},{"do":"ask","idea":null,"question":"play_mood","text":null},{"do":"explain","idea":"race","question":null,"text":null},{"do":"read","idea":"colours","question":null,"text":"Now the blossom, one voice for each colour, and do not hurry."},{"do":"ask","idea":null,"question":"colours_which","text":null},{"do":"ask","idea":null,"question":"scent_what","text":null},{"do":"explain","idea":"bees","question":null,"text":null}]},{"name":"consolidation","share":0.17,"summary":"We give a name to what the writer does and try it on other lines.","activities":[{"do":"explain","idea":"personification","question":null,"text":null},{"do":"ask","idea":null,"question":"race_word","text":null},{"do":"ask","idea":null,"question":"grass_add","text":null},{"do":"explain","idea":"simile","question":null,"text":null},{"do":"discuss","idea":"colours","question":null,"text":"Tell the person beside you which comparison you can see best, and what it shows you."}]},{"name":"practice","share":0.2,"summary":"We read with expression, look at the order and write a sentence.","activities":[{"do":"ask","idea":null,"question":"path_order","text":null},{"do":"explain","idea":"path","question":null,"text":null},{"do":"practise","idea":"personification","question":null,"text":"Write one sentence in which something in this room behaves like a person."},{"do":"ask","idea":null,"question":"person_create","text":null},{"do":"discuss","idea":"grass","question":null,"text":"Swap sentences with a neighbour and underline the word that brings the thing to life."},{"do":"read","idea":"play","question":null,"text":"Choose your favourite picture and read it aloud so that we can feel it."}]},{"name":"summary","share":0.1,"summary":"We gather pictures, senses and the name of the device.","activities":[{"do":"ask","idea":null,"question":"person_name","text":null},{"do":"summarise","idea":"personification","question":null,"text":"So today we have seen, heard and smelled spring, and we know why it seems alive."},{"do":"manage","idea":null,"question":null,"text":"For next time, notice one sign of the season on your way home and note it down."}]}]}],"seating":{},"settings":{"steps":1,"floor":2,"perception":{"radius":8.0,"capacity":5},"gate":{"threshold":0.6},"pacing":{"mode":"fixed","stretch":1.4},"memory":{"carry":true,"days_between":2.0},"ablation":[],"policy":"llm","parameters":{},"llm":{"model":"planted","base_url":"http://localhost:8000/v1","fidelity":"fused","style_model":null,"temperature":0.5,"top_p":0.9,"max_tokens":512,"frequency_penalty":0.2,"send_seed":true,"reasks":2,"otherwise":"fallback","talk_steps":8,"concurrency":64,"deadlines":{"connect":10.0,"read":900.0,"attempt":900.0,"total":1800.0},"budget":{"usd":null,"tokens":null,"requests":null},"prompts":{}},"people":{"wait":60.0,"away":30.0}}}','llm','[]',NULL,NULL,NULL,'0.1.0','complete','2026-11-22T22:49:46+00:00','2026-11-22T22:49:48+00:00','{"tokens":40191,"requests":17,"usd":0.0}','',1,'course',1);
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
INSERT INTO "steps" VALUES('first_lesson-s1-e09c42',1,1,'e7f9173e06cee8c6');
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
INSERT INTO "student_memory" VALUES(1,'first_lesson-s1-e09c42',1,'Zhang Jie','plan','I think that it is about what we have read',1);
INSERT INTO "student_memory" VALUES(2,'first_lesson-s1-e09c42',1,'Zhang Jie','behaviour','side_talk',1);
INSERT INTO "student_memory" VALUES(3,'first_lesson-s1-e09c42',1,'Zhang Jie','monitoring','I think that it is about what we have read',1);
INSERT INTO "student_memory" VALUES(4,'first_lesson-s1-e09c42',1,'Zhang Jie','regulation','I think that it is about what we have read',1);
INSERT INTO "student_memory" VALUES(5,'first_lesson-s1-e09c42',1,'Liu Li','plan','I think that it is about what we have read',1);
INSERT INTO "student_memory" VALUES(6,'first_lesson-s1-e09c42',1,'Liu Li','behaviour','ask_question',1);
INSERT INTO "student_memory" VALUES(7,'first_lesson-s1-e09c42',1,'Liu Li','monitoring','I think that it is about what we have read',1);
INSERT INTO "student_memory" VALUES(8,'first_lesson-s1-e09c42',1,'Liu Li','regulation','I think that it is about what we have read',1);
INSERT INTO "student_memory" VALUES(9,'first_lesson-s1-e09c42',1,'Wang Fang','plan','I think that it is about what we have read',1);
INSERT INTO "student_memory" VALUES(10,'first_lesson-s1-e09c42',1,'Wang Fang','behaviour','head_up',1);
INSERT INTO "student_memory" VALUES(11,'first_lesson-s1-e09c42',1,'Wang Fang','monitoring','I think that it is about what we have read',1);
INSERT INTO "student_memory" VALUES(12,'first_lesson-s1-e09c42',1,'Wang Fang','regulation','I think that it is about what we have read',1);
INSERT INTO "student_memory" VALUES(13,'first_lesson-s1-e09c42',1,'Li Wei','plan','I think that it is about what we have read',1);
INSERT INTO "student_memory" VALUES(14,'first_lesson-s1-e09c42',1,'Li Wei','behaviour','ask_question',1);
INSERT INTO "student_memory" VALUES(15,'first_lesson-s1-e09c42',1,'Li Wei','monitoring','I think that it is about what we have read',1);
INSERT INTO "student_memory" VALUES(16,'first_lesson-s1-e09c42',1,'Li Wei','regulation','I think that it is about what we have read',1);
INSERT INTO "student_memory" VALUES(17,'first_lesson-s1-e09c42',1,'Zhang Tao','plan','I think that it is about what we have read',1);
INSERT INTO "student_memory" VALUES(18,'first_lesson-s1-e09c42',1,'Zhang Tao','behaviour','head_up',1);
INSERT INTO "student_memory" VALUES(19,'first_lesson-s1-e09c42',1,'Zhang Tao','monitoring','I think that it is about what we have read',1);
INSERT INTO "student_memory" VALUES(20,'first_lesson-s1-e09c42',1,'Zhang Tao','regulation','I think that it is about what we have read',1);
INSERT INTO "student_memory" VALUES(21,'first_lesson-s1-e09c42',1,'Zhang Yan','plan','I think that it is about what we have read',1);
INSERT INTO "student_memory" VALUES(22,'first_lesson-s1-e09c42',1,'Zhang Yan','behaviour','sleep',1);
INSERT INTO "student_memory" VALUES(23,'first_lesson-s1-e09c42',1,'Zhang Yan','monitoring','I think that it is about what we have read',1);
INSERT INTO "student_memory" VALUES(24,'first_lesson-s1-e09c42',1,'Zhang Yan','regulation','I think that it is about what we have read',1);
CREATE TABLE summaries (
	run VARCHAR NOT NULL, 
	lesson INTEGER NOT NULL, 
	student VARCHAR NOT NULL, 
	record TEXT NOT NULL, 
	PRIMARY KEY (run, lesson, student), 
	FOREIGN KEY(run) REFERENCES runs (id)
);
INSERT INTO "summaries" VALUES('first_lesson-s1-e09c42',1,'Zhang Jie','{"student":"Zhang Jie","remembered":{"summary":"I think that it is about what we have read","portrait":"I think that it is about what we have read","regulation":"I think that it is about what we have read","strategy":"participate","evaluation":"I think that it is about what we have read","rating":0.6},"mind":{"attention":0.7432542419107508,"confidence":0.6505115448111533,"affect":0.3953870402942963,"fatigue":0.006766000000000001,"rapport":0.46,"engagement":0.888,"habit":0.0,"understanding":[0.408,0.44838482703844096,0.408,0.408]},"memory":{"episodes":[{"number":1,"day":0.0,"grade":0,"unit":"spring_1","summary":"I think that it is about what we have read","insights":"I think that it is about what we have read","emotion":0.6976935201471481,"mastery":{"mood":5,"pictures":5,"senses":5,"personification":5},"dialogue":[]}],"concepts":{"mood":{"concept":"mood","grade":0,"text":"Feel the writer''s longing and joy, and say which words carry it.","grasp":{"mastery":0.408,"strength":1.0,"exposures":1,"day":0.0,"episode":1,"above_grade":false},"units":{},"episodes":[1]},"pictures":{"concept":"pictures","grade":0,"text":"Name the pictures of spring in their order and say why they come in that order.","grasp":{"mastery":0.44838482703844096,"strength":1.0,"exposures":1,"day":0.0,"episode":1,"above_grade":false},"units":{},"episodes":[1]},"senses":{"concept":"senses","grade":0,"text":"Show how sight, sound and smell work together in one picture.","grasp":{"mastery":0.408,"strength":1.0,"exposures":1,"day":0.0,"episode":1,"above_grade":false},"units":{},"episodes":[1]},"personification":{"concept":"personification","grade":0,"text":"Recognise personification and explain what it does to a reader.","grasp":{"mastery":0.408,"strength":1.0,"exposures":1,"day":0.0,"episode":1,"above_grade":false},"units":{},"episodes":[1]}},"skills":{"chinese":{"subject":"chinese","level":"beginner","forethought":"participate","performance":"","reflection":"I think that it is about what we have read","grade":0,"episode":1}},"lived":1,"confidence":0.5},"closeness":{"Liu Li":0.35,"Wang Fang":0.356},"last":["side_talk","positive","remember"]}');
INSERT INTO "summaries" VALUES('first_lesson-s1-e09c42',1,'Liu Li','{"student":"Liu Li","remembered":{"summary":"I think that it is about what we have read","portrait":"I think that it is about what we have read","regulation":"I think that it is about what we have read","strategy":"seek_help","evaluation":"I think that it is about what we have read","rating":-0.6},"mind":{"attention":0.48870300919046306,"confidence":0.43977126802802813,"affect":-0.05458485081381337,"fatigue":0.014025000000000001,"rapport":0.5,"engagement":0.4,"habit":0.0,"understanding":[0.255,0.30304226760093933,0.255,0.255]},"memory":{"episodes":[{"number":1,"day":0.0,"grade":0,"unit":"spring_1","summary":"I think that it is about what we have read","insights":"I think that it is about what we have read","emotion":0.4727075745930933,"mastery":{"mood":3,"pictures":4,"senses":3,"personification":3},"dialogue":[]}],"concepts":{"mood":{"concept":"mood","grade":0,"text":"Feel the writer''s longing and joy, and say which words carry it.","grasp":{"mastery":0.255,"strength":1.0,"exposures":1,"day":0.0,"episode":1,"above_grade":false},"units":{},"episodes":[1]},"pictures":{"concept":"pictures","grade":0,"text":"Name the pictures of spring in their order and say why they come in that order.","grasp":{"mastery":0.30304226760093933,"strength":1.0,"exposures":1,"day":0.0,"episode":1,"above_grade":false},"units":{},"episodes":[1]},"senses":{"concept":"senses","grade":0,"text":"Show how sight, sound and smell work together in one picture.","grasp":{"mastery":0.255,"strength":1.0,"exposures":1,"day":0.0,"episode":1,"above_grade":false},"units":{},"episodes":[1]},"personification":{"concept":"personification","grade":0,"text":"Recognise personification and explain what it does to a reader.","grasp":{"mastery":0.255,"strength":1.0,"exposures":1,"day":0.0,"episode":1,"above_grade":false},"units":{},"episodes":[1]}},"skills":{"chinese":{"subject":"chinese","level":"beginner","forethought":"seek_help","performance":"","reflection":"I think that it is about what we have read","grade":0,"episode":1}},"lived":1,"confidence":0.5},"closeness":{"Wang Fang":0.356,"Zhang Jie":0.35},"last":["ask_question","confused","analyse"]}');
INSERT INTO "summaries" VALUES('first_lesson-s1-e09c42',1,'Wang Fang','{"student":"Wang Fang","remembered":{"summary":"I think that it is about what we have read","portrait":"I think that it is about what we have read","regulation":"I think that it is about what we have read","strategy":"cooperate","evaluation":"I think that it is about what we have read","rating":-0.4},"mind":{"attention":0.7438248265546281,"confidence":0.2894207430653024,"affect":0.19604854492580492,"fatigue":0.007004000000000001,"rapport":0.504,"engagement":0.8053333333333333,"habit":0.0,"understanding":[0.38999999999999996,0.43235810217674725,0.38999999999999996,0.38999999999999996]},"memory":{"episodes":[{"number":1,"day":0.0,"grade":0,"unit":"spring_1","summary":"I think that it is about what we have read","insights":"I think that it is about what we have read","emotion":0.5980242724629025,"mastery":{"mood":5,"pictures":5,"senses":5,"personification":5},"dialogue":[]}],"concepts":{"mood":{"concept":"mood","grade":0,"text":"Feel the writer''s longing and joy, and say which words carry it.","grasp":{"mastery":0.38999999999999996,"strength":1.0,"exposures":1,"day":0.0,"episode":1,"above_grade":false},"units":{},"episodes":[1]},"pictures":{"concept":"pictures","grade":0,"text":"Name the pictures of spring in their order and say why they come in that order.","grasp":{"mastery":0.43235810217674725,"strength":1.0,"exposures":1,"day":0.0,"episode":1,"above_grade":false},"units":{},"episodes":[1]},"senses":{"concept":"senses","grade":0,"text":"Show how sight, sound and smell work together in one picture.","grasp":{"mastery":0.38999999999999996,"strength":1.0,"exposures":1,"day":0.0,"episode":1,"above_grade":false},"units":{},"episodes":[1]},"personification":{"concept":"personification","grade":0,"text":"Recognise personification and explain what it does to a reader.","grasp":{"mastery":0.38999999999999996,"strength":1.0,"exposures":1,"day":0.0,"episode":1,"above_grade":false},"units":{},"episodes":[1]}},"skills":{"chinese":{"subject":"chinese","level":"beginner","forethought":"cooperate","performance":"","reflection":"I think that it is about what we have read","grade":0,"episode":1}},"lived":1,"confidence":0.5},"closeness":{"Liu Li":0.356,"Zhang Jie":0.356},"last":["head_up","positive","evaluate"]}');
INSERT INTO "summaries" VALUES('first_lesson-s1-e09c42',1,'Li Wei','{"student":"Li Wei","remembered":{"summary":"I think that it is about what we have read","portrait":"I think that it is about what we have read","regulation":"I think that it is about what we have read","strategy":"calm","evaluation":"I think that it is about what we have read","rating":0.2},"mind":{"attention":0.7284841764923278,"confidence":0.547218112639141,"affect":0.4726911763653583,"fatigue":0.007242000000000001,"rapport":0.51,"engagement":0.856,"habit":0.0,"understanding":[0.336,0.39260375463803016,0.336,0.336]},"memory":{"episodes":[{"number":1,"day":0.0,"grade":0,"unit":"spring_1","summary":"I think that it is about what we have read","insights":"I think that it is about what we have read","emotion":0.7363455881826791,"mastery":{"mood":4,"pictures":5,"senses":4,"personification":4},"dialogue":[]}],"concepts":{"mood":{"concept":"mood","grade":0,"text":"Feel the writer''s longing and joy, and say which words carry it.","grasp":{"mastery":0.336,"strength":1.0,"exposures":1,"day":0.0,"episode":1,"above_grade":false},"units":{},"episodes":[1]},"pictures":{"concept":"pictures","grade":0,"text":"Name the pictures of spring in their order and say why they come in that order.","grasp":{"mastery":0.39260375463803016,"strength":1.0,"exposures":1,"day":0.0,"episode":1,"above_grade":false},"units":{},"episodes":[1]},"senses":{"concept":"senses","grade":0,"text":"Show how sight, sound and smell work together in one picture.","grasp":{"mastery":0.336,"strength":1.0,"exposures":1,"day":0.0,"episode":1,"above_grade":false},"units":{},"episodes":[1]},"personification":{"concept":"personification","grade":0,"text":"Recognise personification and explain what it does to a reader.","grasp":{"mastery":0.336,"strength":1.0,"exposures":1,"day":0.0,"episode":1,"above_grade":false},"units":{},"episodes":[1]}},"skills":{"chinese":{"subject":"chinese","level":"beginner","forethought":"calm","performance":"","reflection":"I think that it is about what we have read","grade":0,"episode":1}},"lived":1,"confidence":0.5},"closeness":{"Zhang Tao":0.359,"Zhang Yan":0.485},"last":["ask_question","positive","analyse"]}');
INSERT INTO "summaries" VALUES('first_lesson-s1-e09c42',1,'Zhang Tao','{"student":"Zhang Tao","remembered":{"summary":"I think that it is about what we have read","portrait":"I think that it is about what we have read","regulation":"I think that it is about what we have read","strategy":"refocus","evaluation":"I think that it is about what we have read","rating":-0.6},"mind":{"attention":0.39190356287883155,"confidence":0.4984485342355949,"affect":-0.04313367722554572,"fatigue":0.014382,"rapport":0.496,"engagement":0.30933333333333335,"habit":0.0,"understanding":[0.264,0.28661780785316304,0.264,0.264]},"memory":{"episodes":[{"number":1,"day":0.0,"grade":0,"unit":"spring_1","summary":"I think that it is about what we have read","insights":"I think that it is about what we have read","emotion":0.47843316138722713,"mastery":{"mood":3,"pictures":4,"senses":3,"personification":3},"dialogue":[]}],"concepts":{"mood":{"concept":"mood","grade":0,"text":"Feel the writer''s longing and joy, and say which words carry it.","grasp":{"mastery":0.264,"strength":1.0,"exposures":1,"day":0.0,"episode":1,"above_grade":false},"units":{},"episodes":[1]},"pictures":{"concept":"pictures","grade":0,"text":"Name the pictures of spring in their order and say why they come in that order.","grasp":{"mastery":0.28661780785316304,"strength":1.0,"exposures":1,"day":0.0,"episode":1,"above_grade":false},"units":{},"episodes":[1]},"senses":{"concept":"senses","grade":0,"text":"Show how sight, sound and smell work together in one picture.","grasp":{"mastery":0.264,"strength":1.0,"exposures":1,"day":0.0,"episode":1,"above_grade":false},"units":{},"episodes":[1]},"personification":{"concept":"personification","grade":0,"text":"Recognise personification and explain what it does to a reader.","grasp":{"mastery":0.264,"strength":1.0,"exposures":1,"day":0.0,"episode":1,"above_grade":false},"units":{},"episodes":[1]}},"skills":{"chinese":{"subject":"chinese","level":"beginner","forethought":"refocus","performance":"","reflection":"I think that it is about what we have read","grade":0,"episode":1}},"lived":1,"confidence":0.5},"closeness":{"Li Wei":0.359,"Zhang Yan":0.46399999999999997},"last":["head_up","confused","remember"]}');
INSERT INTO "summaries" VALUES('first_lesson-s1-e09c42',1,'Zhang Yan','{"student":"Zhang Yan","remembered":{"summary":"I think that it is about what we have read","portrait":"I think that it is about what we have read","regulation":"I think that it is about what we have read","strategy":"seek_help","evaluation":"I think that it is about what we have read","rating":-1.0},"mind":{"attention":0.7315098540784486,"confidence":0.5704953843537425,"affect":0.5187002068877579,"fatigue":0.006885000000000001,"rapport":0.5800000000000001,"engagement":0.6799999999999999,"habit":0.0,"understanding":[0.38999999999999996,0.3925128117914128,0.38999999999999996,0.38999999999999996]},"memory":{"episodes":[{"number":1,"day":0.0,"grade":0,"unit":"spring_1","summary":"I think that it is about what we have read","insights":"I think that it is about what we have read","emotion":0.759350103443879,"mastery":{"mood":5,"pictures":5,"senses":5,"personification":5},"dialogue":[]}],"concepts":{"mood":{"concept":"mood","grade":0,"text":"Feel the writer''s longing and joy, and say which words carry it.","grasp":{"mastery":0.38999999999999996,"strength":1.0,"exposures":1,"day":0.0,"episode":1,"above_grade":false},"units":{},"episodes":[1]},"pictures":{"concept":"pictures","grade":0,"text":"Name the pictures of spring in their order and say why they come in that order.","grasp":{"mastery":0.3925128117914128,"strength":1.0,"exposures":1,"day":0.0,"episode":1,"above_grade":false},"units":{},"episodes":[1]},"senses":{"concept":"senses","grade":0,"text":"Show how sight, sound and smell work together in one picture.","grasp":{"mastery":0.38999999999999996,"strength":1.0,"exposures":1,"day":0.0,"episode":1,"above_grade":false},"units":{},"episodes":[1]},"personification":{"concept":"personification","grade":0,"text":"Recognise personification and explain what it does to a reader.","grasp":{"mastery":0.38999999999999996,"strength":1.0,"exposures":1,"day":0.0,"episode":1,"above_grade":false},"units":{},"episodes":[1]}},"skills":{"chinese":{"subject":"chinese","level":"beginner","forethought":"seek_help","performance":"","reflection":"I think that it is about what we have read","grade":0,"episode":1}},"lived":1,"confidence":0.5},"closeness":{"Li Wei":0.485,"Zhang Tao":0.46399999999999997},"last":["sleep","confused","apply"]}');
CREATE TABLE surveys (
	account VARCHAR NOT NULL, 
	assignment VARCHAR NOT NULL, 
	item VARCHAR NOT NULL, 
	answer INTEGER NOT NULL, 
	at VARCHAR NOT NULL, 
	PRIMARY KEY (account, assignment, item), 
	CONSTRAINT known_answer CHECK (answer between 1 and 5), 
	FOREIGN KEY(account) REFERENCES accounts (id), 
	FOREIGN KEY(assignment) REFERENCES assignments (id)
);
CREATE TABLE talks (
	run VARCHAR NOT NULL, 
	account VARCHAR NOT NULL, 
	assignment VARCHAR NOT NULL, 
	problem VARCHAR NOT NULL, 
	PRIMARY KEY (run), 
	UNIQUE (account, assignment, problem), 
	FOREIGN KEY(run) REFERENCES runs (id), 
	FOREIGN KEY(account) REFERENCES accounts (id), 
	FOREIGN KEY(assignment) REFERENCES assignments (id)
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
INSERT INTO "teacher_memory" VALUES(1,'first_lesson-s1-e09c42',1,'instruction','planning','giving_directions; advance: the pace is fixed',1);
INSERT INTO "teacher_memory" VALUES(2,'first_lesson-s1-e09c42',1,'instruction','feedback','Zhang Jie: negative',1);
CREATE INDEX ix_student_memory_run ON student_memory (run);
CREATE INDEX ix_teacher_memory_run ON teacher_memory (run);
CREATE INDEX ix_sittings_run ON sittings (run);
CREATE INDEX ix_sittings_participant ON sittings (participant);
CREATE INDEX ix_logins_account ON logins (account);
CREATE INDEX ix_alerts_run ON alerts (run);
CREATE INDEX ix_alerts_participant ON alerts (participant);
CREATE INDEX ix_talks_account ON talks (account);
COMMIT;
