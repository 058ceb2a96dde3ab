-- Finds a table of ours with another engine than InnoDB, the only one with transactions.
SELECT concat('keeps its table `', table_name, '` in ', engine,
    ', which has no transactions; move it: ALTER TABLE ', table_name, ' ENGINE = InnoDB') AS refused
FROM information_schema.tables
WHERE table_schema = DATABASE() AND table_name IN ('{meta}', '{tags}', '{namespaces}', '{workers}')
    AND engine <> 'InnoDB';
