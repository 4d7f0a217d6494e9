-- limit: the iterator is C, the loop body is empty
for _ in coroutine.running do end
