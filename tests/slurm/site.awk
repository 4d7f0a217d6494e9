# The settings of the second file, but for those that the first one has, too: these are as in the first.
function key(line) { split(line, part, line ~ /^PartitionName=/ ? " " : "="); return part[1] }
/^#/ || !NF { next }
FNR == NR { own[key($0)] = $0; order[++count] = key($0); next }
key($0) in own { if (!(key($0) in written)) print own[key($0)]; written[key($0)]; next }
{ print }
END { for (i = 1; i <= count; ++i) if (!(order[i] in written)) print own[order[i]] }
