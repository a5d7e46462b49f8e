/** Limits of the contract, section "Limits"; the last page number keeps `offset` within 32 bits at the largest page. */
export const idsMax = 100
export const pageSizeMax = 100
export const pageSizeDefault = 10
export const pageNumberMax = 21_474_836
export const searchCharactersMax = 128
