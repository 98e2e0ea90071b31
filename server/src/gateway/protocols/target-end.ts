/** End of a target: closed normally, connection lost, or size limit exceeded. */
export type TargetEnd = 'closed' | 'lost' | 'flooded';
