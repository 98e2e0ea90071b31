/** GET users/group-mappings/preview/ */
export interface GroupMappingPreview {
  /** Number of users whose groups are known. */
  readonly users: number;
  /** Changes if all mappings were active, by user. */
  readonly changes: readonly {
    readonly user_id: string;
    readonly user: string;
    readonly kind: 'join' | 'leave' | 'role';
    /** Name of the user group, or the new role. */
    readonly what: string;
    /** The present role. */
    readonly before: string;
    /** True if change control of the organization holds it back: propose it there. */
    readonly is_controlled: boolean;
  }[];
  /** False if the list of changes is cut. */
  readonly is_complete: boolean;
  /** Groups that sources reported, most users first. */
  readonly seen: readonly {
    readonly source: string;
    readonly name: string;
    readonly users: number;
  }[];
}
