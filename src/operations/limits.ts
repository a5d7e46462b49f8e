/** Limits of the contract, section "Limits"; the last page number keeps `offset` within 32 bits at the largest page. */
export const idsMax = 100
export const pageSizeMax = 100
export const pageSizeDefault = 10
export const pageNumberMax = 21_474_836
export const searchCharactersMax = 128

/** Of one query: enough for what people ask, and little enough that reading and planning it costs next to nothing. */
export const filterCharactersMax = 2000
export const filterComparisonsMax = 20
export const filterDepthMax = 5
export const filterTextCharactersMax = 256
export const sortKeysMax = 4
export const fieldNamesMax = 60
export const expansionsMax = 6
export const expansionDepthMax = 3
/** Four sort values and an id, at their longest. */
export const cursorCharactersMax = 6000

/** Of one report: what a person can look at, and a client can draw. */
export const groupingsMax = 3
export const groupsMax = 1000
/** Items of a batch, and rows that its removals and restores name. */
export const batchItemsMax = 1000
/** Each takes a tenth of a second of a core, before anything is written. */
export const batchPasswordsMax = 10
export const labelCharactersMax = 64
