// The fault: every instance has a map of its own, which ends with its process.
const histories = new Map()

export const read = (session) => histories.get(session) ?? []
export const append = (session, turn) => histories.set(session, [...read(session), ...turn])
export const forget = (session) => histories.delete(session)
