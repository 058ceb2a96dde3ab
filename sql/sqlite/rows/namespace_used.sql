-- Notes the lowest number that was never handed out.
UPDATE namespaces
SET used_until = :used_until
WHERE namespace = :namespace;
