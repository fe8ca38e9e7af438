-- Plans quote records, so they stand behind the same policies (memories/sql/0042_row_security.sql).
CALL mc_secure('reflection_reflectionpolicy', 'space_id');
CALL mc_secure('reflection_reflectpass', 'space_id');
CALL mc_secure('reflection_schedule', 'space_id');
CALL mc_secure_with('reflection_scheduledrun', 'reflection_schedule', 'schedule_id');
CALL mc_secure_with('reflection_candidate', 'reflection_reflectpass', 'reflect_pass_id');
CALL mc_secure_with('reflection_basis', 'reflection_candidate', 'candidate_id');
CALL mc_secure_with('reflection_viewed', 'reflection_candidate', 'candidate_id');
