// Formats numbers and times for people.

const DAY = 86_400_000
const UNITS = [['year', 365.25 * DAY], ['month', 30.44 * DAY], ['day', DAY], ['hour', 3_600_000], ['minute', 60_000], ['second', 1_000]]

/** Groups a whole number by three digits; also BigInts, and texts of digits. */
export function grouped(number) {
  return String(number).replace(/\B(?=(\d{3})+$)/g, '\u2009')
}

/** A rough duration in its largest unit: `4.2 years`. */
export function long(ms) {
  if (!Number.isFinite(ms)) return 'never'
  if (ms > 999 * 365.25 * DAY) return 'over 999 years'
  const [name, unit] = UNITS.find(([, unit]) => ms >= unit) ?? UNITS.at(-1)
  const count = ms / unit
  const text = count < 10 && unit > 60_000 ? String(Math.floor(count * 10) / 10) : String(Math.floor(count))
  return `${text} ${name}${text === '1' ? '' : 's'}`
}

/** A moment in UTC, as everywhere in leafid. */
export function moment(ms) {
  const date = new Date(ms)
  return Number.isNaN(date.getTime()) ? `${grouped(ms)} ms` : date.toISOString().replace('T', ' ').replace('Z', ' UTC')
}

/** The time of a day. */
export const clock = (ms) => moment(ms).slice(11, 19)

/** A fraction as a percentage, which is 0 or 100 only for none or all. */
export function percent(part) {
  if (part <= 0) return '0 %'
  if (part < 0.001) return '< 0.1 %'
  return part >= 1 ? '100 %' : `${Math.min(99.9, Math.round(part * 1_000) / 10)} %`
}
