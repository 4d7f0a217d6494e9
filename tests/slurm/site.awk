# The settings of the second file, but for those that the first one has, too: these are as in the first. Nodes are on the
# hosts and ports that they have in the second.
function key(line) { split(line, part, line ~ /^(PartitionName|NodeName)=/ ? " " : "="); return part[1] }
/^#/ || !NF { next }
FNR == NR { own[key($0)] = $0; order[++count] = key($0); next }
key($0) in own {
  if (!(key($0) in written)) print own[key($0)] (/^NodeName=/ ? " " $2 " " $3 " " $4 : "")
  written[key($0)]
  next
}
{ print }
END { for (i = 1; i <= count; ++i) if (!(order[i] in written)) print own[order[i]] }
