# The settings of the second file, but for those that the first one has, too: these are as in the first. Where the first has
# lines NodeName, those of the second are left out, and nodes are on the hosts and ports that they have there.
function key(line) { split(line, part, line ~ /^(PartitionName|NodeName)=/ ? " " : "="); return part[1] }
function ports(name,   range, from) {  # of nodes as n[1-4], of which the second file has eight, and f[1-2]
  split(name, range, /[][-]/)
  from = first + (name ~ /^NodeName=f/ ? 8 : 0)
  return "Port=[" from + range[2] "-" from + range[3] "]"
}
/^#/ || !NF { next }
FNR == NR { own[key($0)] = $0; order[++count] = key($0); nodes += /^NodeName=/; next }
/^NodeName=/ && nodes {
  if (first != "") next
  match($4, /[0-9]+/)
  first = substr($4, RSTART, RLENGTH) - 1
  for (i = 1; i <= count; ++i) if (order[i] ~ /^NodeName=/) print own[order[i]] " " $2 " " $3 " " ports(order[i])
  next
}
key($0) in own {
  if (!(key($0) in written)) print own[key($0)]
  written[key($0)]
  next
}
{ print }
END { for (i = 1; i <= count; ++i) if (!(order[i] in written) && order[i] !~ /^NodeName=/) print own[order[i]] }
