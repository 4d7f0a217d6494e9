-- limit
::again:: goto again
