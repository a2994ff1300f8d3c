        test   %rdx,%rdx
 /----- je
 |      lea    0x20(%rsi),%rax
 |      xor    %ecx,%ecx
 |      nopl   0x0(%rax,%rax,1)
 |  /-> prefetcht0 0x800(%rdi,%rcx,1)
 |  |   lea    (%rsi,%rcx,1),%r8
 |  |   vmovups (%rdi,%rcx,1),%ymm0
 |  |   vmovntdq %ymm0,(%r8)
 |  |   lea    (%rax,%rcx,1),%r8
 |  |   vmovups 0x20(%rdi,%rcx,1),%ymm0
 |  |   vmovntdq %ymm0,(%r8)
 |  |   add    $0x40,%rcx
 |  |   cmp    %rdx,%rcx
 |  \-- jb
 \----> vzeroupper
        ret
