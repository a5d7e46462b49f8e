/** Who must have a second factor: `Identity__SecondFactor`. */
export const secondFactorPolicies = ['off', 'administrators', 'all'] as const

export type SecondFactorPolicy = (typeof secondFactorPolicies)[number]
