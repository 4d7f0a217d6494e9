-- Frachtenberg, Feitelson, Petrini & Fernandez 2005, Tables 3 to 8: seconds at which each job ended.
-- The best of five repetitions each.
return {
  T3 = {
    batch = { 60, 120 }, gang = { 124, 124 }, spin_block = { 126, 134 }, fcs = { 125, 126 },
  },
  T4 = {
    batch = { 120, 240 }, gang = { 244, 245 }, spin_block = { 193, 194 }, fcs = { 197, 197 },
  },
  T5 = {
    batch = { 60, 121, 301 }, gang = { 185, 186, 308 }, spin_block = { 144, 142, 244 }, fcs = { 192, 193, 197 },
  },
  T6 = {
    batch = { 120, 241, 302 }, gang = { 305, 305, 185 }, spin_block = { 213, 214, 276 }, fcs = { 252, 253, 155 },
  },
  T7 = {
    batch = { 111, 222 }, gang = { 232, 232 }, spin_block = { 275, 275 }, fcs = { 244, 244 },
  },
  T8 = {
    batch = { 126, 252 }, gang = { 260, 261 }, spin_block = { 274, 276 }, fcs = { 264, 264 },
  },
}
