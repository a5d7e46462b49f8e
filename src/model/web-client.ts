/** The client of the contract, in which people do what is theirs alone. */
export const webClientId = 'svc-webclient'
