-- Marks the numbers inside the range of a namespace after it changed. Others may use a number that leaves
-- it until it comes back, so its lease and its owner end; they are cleared again when it comes back, in
-- case a program has not cleared them.
UPDATE {workers}
SET inside = (worker >= :start AND worker < :end), owner = '', sticky = {false}, {key} = NULL
WHERE namespace = :namespace AND inside <> (worker >= :start AND worker < :end)
{tells_now};
