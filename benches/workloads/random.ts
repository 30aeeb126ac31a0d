/** Seeded random numbers: the same workload every time, everywhere. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** In [0, 1): mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }

  /** An integer from `min` to `max`, both included. */
  integer(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  /** True so often. */
  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(choices: readonly T[]): T {
    return choices[Math.floor(this.next() * choices.length)] as T;
  }

  /** One of `choices`, each as often as its weight says. */
  weighted<T>(choices: readonly (readonly [weight: number, choice: T])[]): T {
    const sum = choices.reduce((total, [weight]) => total + weight, 0);
    let left = this.next() * sum;
    for (const [weight, choice] of choices) {
      left -= weight;
      if (left < 0) return choice;
    }
    return (choices[choices.length - 1] as (typeof choices)[number])[1];
  }

  bytes(length: number): Uint8Array {
    return Uint8Array.from({ length }, () => this.integer(0, 255));
  }

  /** So many words, as prose has them: some occur often, a few are not ASCII. */
  words(count: number): string {
    const chosen: string[] = [];
    // Squared, so that the words at the front of the list are the frequent ones.
    for (let i = 0; i < count; i++) {
      chosen.push(words[Math.floor(this.next() ** 2 * words.length)] as string);
    }
    return chosen.join(' ');
  }
}

const words =
  `the of and to in a is that for it was on are as with they at be this have from or one had by but not what
  all were when we there can an your which their said if do will each about how up out them then she many some
  so these would other into has more her two like him see time could no make than first been its who now people
  my made over did down only way find use may water long little very after called just where most know get
  through back much before go good new write our used me man too any day same right look think also around
  another came come work three word must because does part even place well such here take why things help put
  years different away again off went old number great tell men say small every found still between name should
  home big give air line set own under read last never us left end along while might next sound below saw
  something thought both few those always looked show large often together asked house world going want school
  important until form food keep children feet land side without boy once animals life enough took sometimes
  four head above kind began almost live page got earth need far hand high year mother light parts country
  father let night following picture being study second eyes soon times story boys since white days ever paper
  hard near sentence better best across during today however sure means knew it's try told young miles sun ways
  thing whole hear example heard several change answer room sea against top turned learn point city play toward
  five using himself usually café naïve façade Zürich São façades entrée piñata`.split(/\s+/);
