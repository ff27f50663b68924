-- "Which jobs use this global variable?": steps whose expressions or code say `vars` at all. What they mean by it is for the code to see.
create index step_vars on step (job_id) where strpos(definition::text, 'vars') > 0;
