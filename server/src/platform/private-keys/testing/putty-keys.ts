/** Key files of puttygen 0.78, made for tests only. Encrypted ones open with this passphrase. */
export const PASSPHRASE = 'secret';

export const PUTTY_KEYS: readonly {
  readonly name: string;
  readonly isEncrypted: boolean;
  readonly publicKey: string;
  readonly file: string;
}[] = [
  {
    name: 'ed25519, encrypted version 3 (Argon2id)',
    isEncrypted: true,
    publicKey: [
      'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILgIfQME5abqCCArPdljP5taHwxhCADuZB2fjoyDWZkT',
    ].join(''),
    file: `PuTTY-User-Key-File-3: ssh-ed25519
Encryption: aes256-cbc
Comment: a ed25519 key
Public-Lines: 2
AAAAC3NzaC1lZDI1NTE5AAAAILgIfQME5abqCCArPdljP5taHwxhCADuZB2fjoyD
WZkT
Key-Derivation: Argon2id
Argon2-Memory: 8192
Argon2-Passes: 21
Argon2-Parallelism: 1
Argon2-Salt: cdc01e3ff95f410d13475bac89f9a7f5
Private-Lines: 1
Sw13NatT8B/nV/briDlx8l+UQBNho5Z+R7JWOCol+P3wVyuFdaf4o2gRcBAGZYrt
Private-MAC: 3d9be8b1def189878e536cd52727c3009827b7dfda18fdb388d334d5c4b5a00f
`,
  },
  {
    name: 'ed25519, encrypted version 3 (Argon2d)',
    isEncrypted: true,
    publicKey: [
      'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILgIfQME5abqCCArPdljP5taHwxhCADuZB2fjoyDWZkT',
    ].join(''),
    file: `PuTTY-User-Key-File-3: ssh-ed25519
Encryption: aes256-cbc
Comment: a ed25519 key
Public-Lines: 2
AAAAC3NzaC1lZDI1NTE5AAAAILgIfQME5abqCCArPdljP5taHwxhCADuZB2fjoyD
WZkT
Key-Derivation: Argon2d
Argon2-Memory: 1024
Argon2-Passes: 3
Argon2-Parallelism: 2
Argon2-Salt: f600fc832af5e6e431bf1f479626b12a
Private-Lines: 1
Zlky2qyFF9V2DSbkySk8ECluS3SGv8m5Z0PDz57BJhF5PnzaUv1//e+4HxHnTSc6
Private-MAC: b81b41695951c26028c267574c068c98efce1e5ae0a65c62bd613072a2671ebc
`,
  },
  {
    name: 'ed25519, encrypted version 3 (Argon2i)',
    isEncrypted: true,
    publicKey: [
      'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILgIfQME5abqCCArPdljP5taHwxhCADuZB2fjoyDWZkT',
    ].join(''),
    file: `PuTTY-User-Key-File-3: ssh-ed25519
Encryption: aes256-cbc
Comment: a ed25519 key
Public-Lines: 2
AAAAC3NzaC1lZDI1NTE5AAAAILgIfQME5abqCCArPdljP5taHwxhCADuZB2fjoyD
WZkT
Key-Derivation: Argon2i
Argon2-Memory: 1024
Argon2-Passes: 3
Argon2-Parallelism: 2
Argon2-Salt: 5373c8748ff04620c9b7622e25247dc3
Private-Lines: 1
LgTIrq/CwISkm8EElgLElN8LEMRtn/Qc+Wc5rING2FbqIfovC6tkW0wzU+NpAcPS
Private-MAC: e57be62e251553eafcb12d5b6c2e619fc3f670d8d4e53bfa7de78d21e4e75274
`,
  },
  {
    name: 'ecdsa, encrypted version 2',
    isEncrypted: true,
    publicKey: [
      'ecdsa-sha2-nistp384 AAAAE2VjZHNhLXNoYTItbmlzdHAzODQAAAAIbmlzdHAzODQAAABhBHEa4Ya3',
      'lUIxw6txRw+WK/GVWXlhu6WJk+e7Z+sqSVcFfn38b92RmFc/J9nn/S/48qOYdzvGs7/DJlaRZKRQbZGR',
      'wj+Pde+igVYvXilgrzenKaETuA6x4fdl6ol6QkDdYQ==',
    ].join(''),
    file: `PuTTY-User-Key-File-2: ecdsa-sha2-nistp384
Encryption: aes256-cbc
Comment: a ecdsa key
Public-Lines: 3
AAAAE2VjZHNhLXNoYTItbmlzdHAzODQAAAAIbmlzdHAzODQAAABhBHEa4Ya3lUIx
w6txRw+WK/GVWXlhu6WJk+e7Z+sqSVcFfn38b92RmFc/J9nn/S/48qOYdzvGs7/D
JlaRZKRQbZGRwj+Pde+igVYvXilgrzenKaETuA6x4fdl6ol6QkDdYQ==
Private-Lines: 2
0c9SjjTUgfeijYlulpUFGtwnboY1jZLpKKVizNxxGs3YKqToMicvKSNe4mYbquzX
6CKGIdSW1OkUkwO6ams1zQ==
Private-MAC: c20f6b100df59919b7e9dbbc0c13dd78892b4343
`,
  },
  {
    name: 'ecdsa, version 3',
    isEncrypted: false,
    publicKey: [
      'ecdsa-sha2-nistp384 AAAAE2VjZHNhLXNoYTItbmlzdHAzODQAAAAIbmlzdHAzODQAAABhBHEa4Ya3',
      'lUIxw6txRw+WK/GVWXlhu6WJk+e7Z+sqSVcFfn38b92RmFc/J9nn/S/48qOYdzvGs7/DJlaRZKRQbZGR',
      'wj+Pde+igVYvXilgrzenKaETuA6x4fdl6ol6QkDdYQ==',
    ].join(''),
    file: `PuTTY-User-Key-File-3: ecdsa-sha2-nistp384
Encryption: none
Comment: a ecdsa key
Public-Lines: 3
AAAAE2VjZHNhLXNoYTItbmlzdHAzODQAAAAIbmlzdHAzODQAAABhBHEa4Ya3lUIx
w6txRw+WK/GVWXlhu6WJk+e7Z+sqSVcFfn38b92RmFc/J9nn/S/48qOYdzvGs7/D
JlaRZKRQbZGRwj+Pde+igVYvXilgrzenKaETuA6x4fdl6ol6QkDdYQ==
Private-Lines: 2
AAAAMQDIZVb/BKw4xg2rird3m1GO54hRvfpj8O/JjzKTQ3AF137oE0DzO8MQ6KuJ
T18fFdI=
Private-MAC: fdf08f2a326ec7bba6152d6f0368b3404c14407e3803e041c9bb9028f8503747
`,
  },
  {
    name: 'rsa, version 2',
    isEncrypted: false,
    publicKey: [
      'ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQCRkYWHI02K/+loxIXL5P+HOnNco0sLmUckev0Oq0GR',
      'L8gGAl5Onz2YCrQV22mg/0+6WH9H83BFhGYMWlqSEa2w5MDmNdNKy81AS3fHJNNfWXNve+XiS4OPCWYy',
      'WXJ5fpQ7Y9dadzjTjZ0UQZhufMARnxVe9Lv1oX1wzOzxZgg82QfpvKgezsZDgX812OVUiPivLVhYVA9f',
      'XcpImjD+Plcy/peAig6sjLRDAg2HBYKqYhbNCIyH1DMLS3VFMTfELu1SblxPx9xA7+rAQAiVguTQDNBl',
      'TbVpOH4XYM1isrI9Jhwgs3Q/glum9kya0pfNmfa7iDT8fRadAyVqVFcnCOX1',
    ].join(''),
    file: `PuTTY-User-Key-File-2: ssh-rsa
Encryption: none
Comment: a rsa key
Public-Lines: 6
AAAAB3NzaC1yc2EAAAADAQABAAABAQCRkYWHI02K/+loxIXL5P+HOnNco0sLmUck
ev0Oq0GRL8gGAl5Onz2YCrQV22mg/0+6WH9H83BFhGYMWlqSEa2w5MDmNdNKy81A
S3fHJNNfWXNve+XiS4OPCWYyWXJ5fpQ7Y9dadzjTjZ0UQZhufMARnxVe9Lv1oX1w
zOzxZgg82QfpvKgezsZDgX812OVUiPivLVhYVA9fXcpImjD+Plcy/peAig6sjLRD
Ag2HBYKqYhbNCIyH1DMLS3VFMTfELu1SblxPx9xA7+rAQAiVguTQDNBlTbVpOH4X
YM1isrI9Jhwgs3Q/glum9kya0pfNmfa7iDT8fRadAyVqVFcnCOX1
Private-Lines: 14
AAABAAV4gZstkXl62qvMTvb1uUC8yp8dp/FcplbRpHcLqqApOow3RJIR2/+9zzzP
DS42yilHsCjlFkAWlLs8HhFFRtDSGAnO1g0GkcUr0OmUEbmQpAz5jA8wJVaX1NZp
lCrKvglpXCuTNXiF5vRe7rqgR5uh7eyup+24Tv2RRgpgekjHFLUq2q2QvBc4jSuj
jw/CA6crmOT1EuLG4Qp1Uj3DRyTNmYdlkLMovGmcju58RUv3rpNLh6Rp0YaBCkMO
UeQYs6E9mNY90haLrbeUuLirTOWyaZYV+Db9thnqRcpMtpR5MRbS6lb7zmBMBafq
HEL+Tcf6A7r+s+2O6NBRFaCw6XUAAACBANZRNCnGLkdOMjiRDZScZ5d/5MbMQ1ag
Kg/uo4rYP+F+OpDsVHQPDNiUTTCDjMuS9YfE1e6q8bMRFH4ZoHmFch/cITWslYde
UGCZslFMijP8xuG3+Hufyr8DY34J+BovTebinOX4oAFNeUzfPc+MrawRl3cIly5j
DptKaElz9u6XAAAAgQCt4VXkRBuy0/uQoMTMX3aQ+iUebgfMnVe1o546kETV8c3d
hhBiTzBJMoDWdf2SKyyvJr6gx2zzuytZRycLHbo7iewQg/JgEpAhJV1abXOXQbo1
uBWwLTeVv91T3EMubvJXimDayTUng1WB3rySgbjC/sZ4NYrC4qn6JYuaxF8tUwAA
AIBEHFzeXuPKHwk09Hq3PIR5fLNHBErkCGk3pol8izHITQwNlBKDIjMUz80yw7+u
Fz6Yho8Keqf+YBNOmpjUVCQvukojF7IvMuDxFDPEySRAskegr/0N9D+2OkKvixGa
PwaS9a20WepjP/Ocjbn1PhSCz9deFWLQnwxVVZ4w5m7JNA==
Private-MAC: 5d1616a5221a4b51bc50589ccf3ed8b70a8836cb
`,
  },
  {
    name: 'rsa, encrypted version 3 (Argon2id)',
    isEncrypted: true,
    publicKey: [
      'ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQCRkYWHI02K/+loxIXL5P+HOnNco0sLmUckev0Oq0GR',
      'L8gGAl5Onz2YCrQV22mg/0+6WH9H83BFhGYMWlqSEa2w5MDmNdNKy81AS3fHJNNfWXNve+XiS4OPCWYy',
      'WXJ5fpQ7Y9dadzjTjZ0UQZhufMARnxVe9Lv1oX1wzOzxZgg82QfpvKgezsZDgX812OVUiPivLVhYVA9f',
      'XcpImjD+Plcy/peAig6sjLRDAg2HBYKqYhbNCIyH1DMLS3VFMTfELu1SblxPx9xA7+rAQAiVguTQDNBl',
      'TbVpOH4XYM1isrI9Jhwgs3Q/glum9kya0pfNmfa7iDT8fRadAyVqVFcnCOX1',
    ].join(''),
    file: `PuTTY-User-Key-File-3: ssh-rsa
Encryption: aes256-cbc
Comment: a rsa key
Public-Lines: 6
AAAAB3NzaC1yc2EAAAADAQABAAABAQCRkYWHI02K/+loxIXL5P+HOnNco0sLmUck
ev0Oq0GRL8gGAl5Onz2YCrQV22mg/0+6WH9H83BFhGYMWlqSEa2w5MDmNdNKy81A
S3fHJNNfWXNve+XiS4OPCWYyWXJ5fpQ7Y9dadzjTjZ0UQZhufMARnxVe9Lv1oX1w
zOzxZgg82QfpvKgezsZDgX812OVUiPivLVhYVA9fXcpImjD+Plcy/peAig6sjLRD
Ag2HBYKqYhbNCIyH1DMLS3VFMTfELu1SblxPx9xA7+rAQAiVguTQDNBlTbVpOH4X
YM1isrI9Jhwgs3Q/glum9kya0pfNmfa7iDT8fRadAyVqVFcnCOX1
Key-Derivation: Argon2id
Argon2-Memory: 8192
Argon2-Passes: 13
Argon2-Parallelism: 1
Argon2-Salt: 412a4dbb73a5daddea95948ba8ca9689
Private-Lines: 14
FswCIDCqrzwTrDCEM85moYj8CkvfhK5M2XbuyjKwz1VRkKwYmas12ilIJuZjoIDN
kgAUVtnz0OlQJbZ/2N184dnunC7MzN0ULP8fZi56r12/rB03AVaGGx3GpWv5aNd2
y9P2LugE3K62TuOrewcLJSRwucpXveFy19cwSbiIY9mch9RryLspaoVahV+LtL7k
rD89BaMfr7j0cgNgNfWCIoVAx//EASMnACn1o3Pn6lV/BbpyD4tO0f6KCW28413j
C629fQDE9flKUA1cMv85QTIqNkWei7Z5Fz1RVnEm3rt5iqTvA+v8AHJXpMNQaBIh
84OVqySggTK1Xvr4Lq9/1yJg5WZNAMx6cV0zcpJ7KVYVCpc5JeemoqTGQchhRnRe
/ySrFj+CH+gLIx8o242KDBtnY6DeEUMftaHxbkm/HNQpv4+JBnuSLtDJZ+pwB7d2
CQr6TcqZS3A8IFQkiFwLDf3GPKZVhwGEtqS5ZCze7vEAD9ajtW76IxE2xEW8ZNVb
D8YQ9csPSfir+5oo1rY8eR/L909ctjGc132buFppBksFLfAK+mJ5HJW8cj8UttWy
FGqq7zc/nJTuhmI3CdnlcsmIcsOOoLKkbRALCTeVwadQ1H/P/i9IQv7gilTTGFO+
Py3JwZXuhrkqgjMAxxAqDSVusEkdoGAGud3SOqBss4iWbNHFM7X2rs+Be6Rmf217
2GbuOdsq0bJx/beUmtdxhlhanh53/0oOuE/YhtsOXgo9Hlnj4JyR5M/y00jalg4h
GHCwB9gWsWMH6V4K/0d0qCei/QKule40zxHOkal5KcKyJ20ucAdSROjV4DYHe9cZ
gluGmjwtEIQxfltsADhaJjqdNqrKlFxqay3irb61UBhcg8yQR0bsgMYNa+wHdfue
Private-MAC: 036cb7d6606d870e63a9707adba4e25579914fad14b46fcb98dc174ddfce4997
`,
  },
];
