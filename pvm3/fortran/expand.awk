# expand.awk - writes out a Fortran source in which parts stand once for many types.
#
# A line "!kind SETS NAME TYPE ITEMS DECLARATION" tells of a type; the lines between "!each SET"
# and "!end" are repeated for each one of that set, @NAME@, @TYPE@, @ITEMS@ and @DECLARATION@
# filled in. SETS are separated by commas; all but the last field are single words.

$1 == "!kind" {
  kinds++
  sets[kinds] = "," $2 ","
  names[kinds] = $3
  types[kinds] = $4
  items[kinds] = $5
  sub(/^([^ ]+ +)([^ ]+ +)([^ ]+ +)([^ ]+ +)([^ ]+ +)/, "")
  declarations[kinds] = $0
  next
}

$1 == "!each" {
  set = $2
  text = ""
  next
}

$1 == "!end" && set != "" {
  for (kind = 1; kind <= kinds; kind++) {
    if (index(sets[kind], "," set ",") == 0)
      continue
    filled = text
    gsub(/@NAME@/, names[kind], filled)
    gsub(/@TYPE@/, types[kind], filled)
    gsub(/@ITEMS@/, items[kind], filled)
    gsub(/@DECLARATION@/, declarations[kind], filled)
    printf "%s", filled
  }
  set = ""
  next
}

set != "" { text = text $0 "\n"; next }
{ print }
