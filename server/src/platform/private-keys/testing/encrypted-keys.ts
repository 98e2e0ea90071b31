/**
 * Keys of ssh-keygen 9.2 and OpenSSL 3.0 with ciphers that few programs read, made for tests only.
 */
export const ENCRYPTED_PASSPHRASE = 'mot de passe é';

/** Keys that open. */
export const ENCRYPTED_KEYS = [
  {
    name: 'OpenSSH with ChaCha20',
    publicKey: [
      'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIMtMm2/O6LDyZQFgFUXb/cZr3GbuHok0e9kT4LTHb8TZ',
    ].join(''),
    file: `-----BEGIN OPENSSH PRIVATE KEY-----
b3BlbnNzaC1rZXktdjEAAAAAHWNoYWNoYTIwLXBvbHkxMzA1QG9wZW5zc2guY29tAAAABm
JjcnlwdAAAABgAAAAQYG9LiAAfDU9LMsovCE0jLgAAABAAAAABAAAAMwAAAAtzc2gtZWQy
NTUxOQAAACDLTJtvzuiw8mUBYBVF2/3Ga9xm7h6JNHvZE+C0x2/E2QAAAJAu30xs9Lr3Ti
zEV0NtXx12Q1AoaVrCaEcmlGW4u3yZ/2sIGG4LnC4XpVbejhuu7P0YRLGdHv1HH3sFo0zF
8eOND0aY5gYegi3gRG5eNebifpeyyRpAt5925e6TT36wNE7VKxmP/3pDvpRyZHP9LY1SF2
6APJiiiy1p2ao+ERKG6mLalpSkUuDjO4F3ykzkhy821JZf1R2aWKPZqOjlzCdn
-----END OPENSSH PRIVATE KEY-----
`,
  },
  {
    name: 'PEM with DES',
    publicKey: [
      'ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBJ3CgYqd',
      'clr94J8wD4KoLn3SMlHL1a4+5zGBA2J9sdLwZm07hdbIj8UI2/y4L5PttRyLSFbdlUMVebKskViBDp4=',
    ].join(''),
    file: `-----BEGIN EC PRIVATE KEY-----
Proc-Type: 4,ENCRYPTED
DEK-Info: DES-CBC,9561355E8721AAC6

FG1/T2F7sIQex0BIBz6+6mxQT+H1oN6GuAU4nXoP9dr7kOiGkAmL+7piajol1hKF
VMWYnEz3KqVSR3QWkVRIEyMSg1RcmBqSexHY0q+Ma0U3D9P8QzFAOsNOLBICUwq9
Hvm0a6Y/a1efDKnSqnGPtMd0iWLELFxq7SJsdBeK1Wk=
-----END EC PRIVATE KEY-----
`,
  },
  {
    name: 'PEM with Camellia',
    publicKey: [
      'ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBJ3CgYqd',
      'clr94J8wD4KoLn3SMlHL1a4+5zGBA2J9sdLwZm07hdbIj8UI2/y4L5PttRyLSFbdlUMVebKskViBDp4=',
    ].join(''),
    file: `-----BEGIN EC PRIVATE KEY-----
Proc-Type: 4,ENCRYPTED
DEK-Info: CAMELLIA-256-CBC,951D5B00772644506FCA944C6FCD0326

Yd269hk6xN4D9PBWuaiIAXluRAXhvWD8NCI9v+9WoyxZa4Zy4XdtmlfEOAHU5L3U
7DFbpVWs1CY5sOmMbsiv7VsQl10/iQqg9Ug5DspZH+pqnap/aiTCaTp4bJD9vabx
AcQT7nTQuG+n6zitgEL3eKcjsHYu1nQfoTRewhgsNxU=
-----END EC PRIVATE KEY-----
`,
  },
  {
    name: 'PKCS#8 with MD5 and DES',
    publicKey: [
      'ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBJ3CgYqd',
      'clr94J8wD4KoLn3SMlHL1a4+5zGBA2J9sdLwZm07hdbIj8UI2/y4L5PttRyLSFbdlUMVebKskViBDp4=',
    ].join(''),
    file: `-----BEGIN ENCRYPTED PRIVATE KEY-----
MIGwMBsGCSqGSIb3DQEFAzAOBAi50KtCO06GkAICCAAEgZC091x0ThUMxxKzrslz
vpBZji4ioSxSP6cfgsVrfJqAyqXIDiW+K5sUaSTNKf6ue2R7LSIL+dJN1G99c7TF
C1g4Zh3Vc5gAlLlEkyyBuVEGz/zI66pU/HBeDIaafUF+9MLi11CnuP8nh+Ob7NBV
G6vuW2sqlaMM8VaR5xER6fS6ATuSodxRtskxyh6F77nN/Ew=
-----END ENCRYPTED PRIVATE KEY-----
`,
  },
  {
    name: 'PKCS#8 with SHA-1 and DES',
    publicKey: [
      'ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBJ3CgYqd',
      'clr94J8wD4KoLn3SMlHL1a4+5zGBA2J9sdLwZm07hdbIj8UI2/y4L5PttRyLSFbdlUMVebKskViBDp4=',
    ].join(''),
    file: `-----BEGIN ENCRYPTED PRIVATE KEY-----
MIGwMBsGCSqGSIb3DQEFCjAOBAigJoKRQuFhPQICCAAEgZDHAVqKn/6aY/7xhURe
brRF6jvxEaXzDt6IBRijEgOLWMx0cH8RXeW1tCgxS7zv8io0WMsqjUtlJCKQGkEr
xsl6R3Vi9rWpr7SVqDh2vATgruuhuxi2Q7rRYt+CRIb/OgLaTpwEhYS4F/OwJXq7
PBiroQi2tutAarnaMA2Vt0ruNQkaAILDhql37/3R3oPMFzQ=
-----END ENCRYPTED PRIVATE KEY-----
`,
  },
  {
    name: 'PKCS#8 with SHA-1 and 3DES',
    publicKey: [
      'ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBJ3CgYqd',
      'clr94J8wD4KoLn3SMlHL1a4+5zGBA2J9sdLwZm07hdbIj8UI2/y4L5PttRyLSFbdlUMVebKskViBDp4=',
    ].join(''),
    file: `-----BEGIN ENCRYPTED PRIVATE KEY-----
MIGxMBwGCiqGSIb3DQEMAQMwDgQIwbQzf7TNfNMCAggABIGQADVZcR2NRavqLlkz
YdG/dMvtVnT+ZjM7Bfin+y2vgyzZJ1HQ/EJGek3+MeEK3zAHkwOyHgRuQ+xejYR7
BackR7zB8sCxBx/6S2HaMAmwvWorsJcY3SLu7wX7+OOSZlWSh841mA9ZgNAiSVvP
pey9Gv6aS9KM1IgbHIAmHvQ7RGRBMvRZ6H+0+Dfk5faa50NW
-----END ENCRYPTED PRIVATE KEY-----
`,
  },
] as const;

/** Keys whose cipher Node does not read. */
export const UNREADABLE_KEYS = [
  {
    form: 'PEM',
    cipher: 'RC2-CBC',
    file: `-----BEGIN EC PRIVATE KEY-----
Proc-Type: 4,ENCRYPTED
DEK-Info: RC2-CBC,6ED5BF55558F1BF6

mcPqyWmlCHC8gd+mYHBGjG04tLTyFcLG7y90ZH0UfyuFDoKGLljBTyYgK+fGO3ni
JItMfUbJcRUM50suUmsFdQd6GjpK152Z9gsHIMqX8baTZC1CzYH/9pp0mV9UhbUB
mKR50XPpDoJ9Fy0mylKJFT4TdQ5seLHo725utCSI9/U=
-----END EC PRIVATE KEY-----
`,
  },
  {
    form: 'PEM',
    cipher: 'SEED-CBC',
    file: `-----BEGIN EC PRIVATE KEY-----
Proc-Type: 4,ENCRYPTED
DEK-Info: SEED-CBC,325D78104918F61F808A43038D56D764

iomUFIXCcjidCgxKqc6X24wtJhlOY4kpgtqTLDvhGSeuh/4brvLiOqNgR8tmKmTi
DJOWUAtrKUkdl7zqBx0xU26b1tyfye3pbTar0lrXehowALXO5TrSuKDNQ/6ce12s
5RV2LtVMDXMHgRM6id8Zmt8xeYCvD4dJYhll216fQJw=
-----END EC PRIVATE KEY-----
`,
  },
  {
    form: 'PKCS#8',
    cipher: 'RC2',
    file: `-----BEGIN ENCRYPTED PRIVATE KEY-----
MIGxMBwGCiqGSIb3DQEMAQYwDgQIWOnVI9UrQ+gCAggABIGQVv2c1N80xVHby9CP
O3ADzJq/oHTeNWKL7Tabk87o2AmMHTP1ohJZZzPJsDmi/rAzw3F4vlVBymO+iYZa
Y4yWzy3xniFWlkukMNUQHkGAQMyKmxhugFPFpmuDUMsN6Y1wKw2qGyW3QAq90chw
5U+YwZC74cZEJZC60NuznKp8MupU/UwfikpjHIhJIQ1/wNaP
-----END ENCRYPTED PRIVATE KEY-----
`,
  },
  {
    form: 'PKCS#8',
    cipher: 'RC4',
    file: `-----BEGIN ENCRYPTED PRIVATE KEY-----
MIGrMBwGCiqGSIb3DQEMAQEwDgQIvTdijvSpaskCAggABIGK8ZZDaciD+iPTnXkf
nx77oND0qNDMvk2cCg0pUEN74H7Mf1DA+oWJ0IYSoUoL3GQoibrlQ3yGhmWKostB
Vb7V/03g1dL88QlLiFgjf14kmo0BMf02SSDuZmc4mg27RtYVH7j77i8gInRoE3G4
+9h/W22MfjY3azPKCGMkOIY5wAu9MP7iZwUIDXUn
-----END ENCRYPTED PRIVATE KEY-----
`,
  },
  {
    form: 'PKCS#8',
    cipher: 'Blowfish',
    file: `-----BEGIN ENCRYPTED PRIVATE KEY-----
MIHkME8GCSqGSIb3DQEFDTBCMCkGCSqGSIb3DQEFDDAcBAhVdKgKvRG7RAICCAAw
DAYIKoZIhvcNAgkFADAVBgkrBgEEAZdVAQIECBcRG3YZ9A2gBIGQ8/Spgvu63oQp
il73KFiUpoH9n/aOIEt1q04D+NL8HQTchLbeanl+SVKIEQjwKJTA/GcovRz9v0aF
vL0L7p+IwwsWnkCK+ASbwRk92NGxB8mj9tR/XlpnEI/7tdGjx7hXluzeoY0cKkMo
eOW+Ye20YAhxq12cPMmc9Ufaad4tg7LMMwhbIS2PZJ5nLqK/wqE3
-----END ENCRYPTED PRIVATE KEY-----
`,
  },
  {
    form: 'PKCS#8',
    cipher: 'CAST5',
    file: `-----BEGIN ENCRYPTED PRIVATE KEY-----
MIHkME8GCSqGSIb3DQEFDTBCMCkGCSqGSIb3DQEFDDAcBAh0RCuxTCN+5AICCAAw
DAYIKoZIhvcNAgkFADAVBgkqhkiG9n0HQgoECIf90nn/GEnVBIGQrn0cNZVztoC6
samXA41Irr478FTs8e8qrNxgXG8AzeDMs/m81gUakt1/YDEq3xcQIf3y63zFAZff
52lvSnB8juZFHpTXc3EvusxmejKGqOU3mn4rGeJEGTswceI4s6WGfWKiz9Joaykx
hLbw+VblJGRZYHPQhu/B/0k28S1ALdrLDdKPqNikjgaEJVAXAx/w
-----END ENCRYPTED PRIVATE KEY-----
`,
  },
  {
    form: 'PKCS#8',
    cipher: 'DES',
    file: `-----BEGIN ENCRYPTED PRIVATE KEY-----
MIHgMEsGCSqGSIb3DQEFDTA+MCkGCSqGSIb3DQEFDDAcBAjPGp4SOqBW4QICCAAw
DAYIKoZIhvcNAgkFADARBgUrDgMCBwQIviP9453d2UoEgZAnQ9H18umGblmJ9uiW
6D7yNuN9gdoZNWeoTbXcpnTORKX9aFm4vrTuB6j0OlSVBjlUHgEr8NHDIFQwXAOc
fXZgqyhfj4hFdeYCsKzn1/rPRGLMv/odwzdmqFcMZKiEq8uW9AJ0Twy9w4NTvT6H
J/y9HzJ39/Q+XT5V8lloqwHB/UepgK0a0wUs2UKNP1WC5rk=
-----END ENCRYPTED PRIVATE KEY-----
`,
  },
] as const;
