                             push   %rbp
                             push   %r15
                             push   %r14
                             push   %r13
                             push   %r12
                             push   %rbx
                             sub    $0xa8,%rsp
                             mov    %rdi,%rbx
                             mov    0x10(%rdi),%rcx
                             mov    0x28(%rdi),%rax
                             mov    0x30(%rdi),%r15
                             lea    (%r15,%rax,1),%r14
                             cmp    $0x11,%r14
                             setae  %dl
                             test   %rcx,%rcx
                             sets   %dil
                             or     %dl,%dil
                /----------- je
                |            vmovdqu (%rbx),%ymm0
                |            vmovdqu 0x20(%rbx),%ymm1
                |            vmovdqu 0x30(%rbx),%ymm2
                |            vmovdqu %ymm2,0x80(%rsp)
                |            vmovdqu %ymm1,0x70(%rsp)
                |            vmovdqu %ymm0,0x50(%rsp)
                |            imul   0x20(%rbx),%r14
                |            mov    %rbx,%rdi
                |            vzeroupper
                |            call   <<pad_kernels::kernel::vector::x86::Avx2 as pad_kernels::kernel::vector::Vector>::cells::{{closure}}>
                |            mov    0x38(%rbx),%rsi
                |            cmp    $0x2,%rsi
 /--------------|----------- jb
 |              |            mov    %r14,%rdx
 |              |            mov    %r14,%r9
 |              |            sub    %r15,%r9
 |              |            mov    0x48(%rbx),%r8
 |              |            mov    (%rbx),%r12
 |              |            mov    0x40(%rbx),%rdi
 |              |            add    $0x18,%r12
 |              |            xor    %r10d,%r10d
 |              |            test   $0x3f,%r8b
 |              |            setne  %al
 |              |            mov    0x58(%rsp),%rbp
 |              |            mov    0x68(%rsp),%r13
 |              |            cmp    $0x21,%r8
 |              |            mov    %rdi,0x8(%rsp)
 |              |            mov    %r8,0x20(%rsp)
 |              |            mov    %r9,0x18(%rsp)
 |  /-----------|----------- jb
 |  |           |            mov    %r8,%rcx
 |  |           |            shr    $0x6,%rcx
 |  |           |            mov    %al,%r10b
 |  |           |            add    %rcx,%r10
 |  |           |            mov    %r10d,%eax
 |  |           |            and    $0x7,%eax
 |  |           |            mov    %r10,%rcx
 |  |           |            and    $0xfffffffffffffff8,%rcx
 |  |           |            mov    %rcx,0x48(%rsp)
 |  |           |            lea    (%r9,%r13,1),%rbx
 |  |           |            add    $0x1c0,%rbx
 |  |           |            add    %r8,%rdx
 |  |           |            sub    %r15,%rdx
 |  |           |            mov    %rdx,0x38(%rsp)
 |  |           |            lea    (%r9,%r13,1),%r14
 |  |           |            mov    %rax,0x28(%rsp)
 |  |           |            mov    %eax,%r15d
 |  |           |            shl    $0x6,%r15d
 |  |           |            mov    $0x1,%r11d
 |  |           |            mov    %rsi,0x10(%rsp)
 |  |           |            mov    %r10,0x30(%rsp)
 |  |           |        /-- jmp
 |  |           |        |   nopl   0x0(%rax,%rax,1)
 |  |           |  /-----|-> add    %r9,%r13
 |  |           |  |     |   add    %r8,%r13
 |  |           |  |     |   inc    %r11
 |  |           |  |     |   mov    %r13,0x68(%rsp)
 |  |           |  |     |   add    %rdi,%rbp
 |  |           |  |     |   mov    %rbp,0x40(%rsp)
 |  |           |  |     |   mov    %rbp,0x58(%rsp)
 |  |           |  |     |   lea    0x50(%rsp),%rdi
 |  |           |  |     |   mov    %r11,%rbp
 |  |           |  |     |   vzeroupper
 |  |           |  |     |   call   <<pad_kernels::kernel::vector::x86::Avx2 as pad_kernels::kernel::vector::Vector>::cells::{{closure}}>
 |  |           |  |     |   mov    %rbp,%r11
 |  |           |  |     |   mov    0x40(%rsp),%rbp
 |  |           |  |     |   mov    0x18(%rsp),%r9
 |  |           |  |     |   mov    0x20(%rsp),%r8
 |  |           |  |     |   mov    0x8(%rsp),%rdi
 |  |           |  |     |   mov    0x38(%rsp),%rax
 |  |           |  |     |   add    %rax,%rbx
 |  |           |  |     |   add    %rax,%r14
 |  |           |  |     |   cmp    0x10(%rsp),%r11
 |  |           |  |     |   mov    0x30(%rsp),%r10
 +--|-----------|--|-----|-- je
 |  |           |  |     \-> cmp    $0x8,%r10
 |  |           |  |     /-- jae
 |  |           |  |     |   xor    %ecx,%ecx
 |  |           |  |  /--|-- jmp
 |  |           |  |  |  |   nopw   0x0(%rax,%rax,1)
 |  |           |  |  |  \-> mov    0x48(%rsp),%rax
 |  |           |  |  |      xor    %ecx,%ecx
 |  |           |  |  |      nopw   0x0(%rax,%rax,1)
 |  |           |  |  |  /-> vmovups (%r12),%ymm0
 |  |           |  |  |  |   vmovups 0x20(%r12),%ymm1
 |  |           |  |  |  |   vmovups %ymm1,-0x1a0(%rbx,%rcx,1)
 |  |           |  |  |  |   vmovups %ymm0,-0x1c0(%rbx,%rcx,1)
 |  |           |  |  |  |   vmovups (%r12),%ymm0
 |  |           |  |  |  |   vmovups 0x20(%r12),%ymm1
 |  |           |  |  |  |   vmovups %ymm1,-0x160(%rbx,%rcx,1)
 |  |           |  |  |  |   vmovups %ymm0,-0x180(%rbx,%rcx,1)
 |  |           |  |  |  |   vmovups (%r12),%ymm0
 |  |           |  |  |  |   vmovups 0x20(%r12),%ymm1
 |  |           |  |  |  |   vmovups %ymm1,-0x120(%rbx,%rcx,1)
 |  |           |  |  |  |   vmovups %ymm0,-0x140(%rbx,%rcx,1)
 |  |           |  |  |  |   vmovups (%r12),%ymm0
 |  |           |  |  |  |   vmovups 0x20(%r12),%ymm1
 |  |           |  |  |  |   vmovups %ymm1,-0xe0(%rbx,%rcx,1)
 |  |           |  |  |  |   vmovups %ymm0,-0x100(%rbx,%rcx,1)
 |  |           |  |  |  |   vmovups (%r12),%ymm0
 |  |           |  |  |  |   vmovups 0x20(%r12),%ymm1
 |  |           |  |  |  |   vmovups %ymm1,-0xa0(%rbx,%rcx,1)
 |  |           |  |  |  |   vmovups %ymm0,-0xc0(%rbx,%rcx,1)
 |  |           |  |  |  |   vmovups (%r12),%ymm0
 |  |           |  |  |  |   vmovups 0x20(%r12),%ymm1
 |  |           |  |  |  |   vmovups %ymm1,-0x60(%rbx,%rcx,1)
 |  |           |  |  |  |   vmovups %ymm0,-0x80(%rbx,%rcx,1)
 |  |           |  |  |  |   vmovups (%r12),%ymm0
 |  |           |  |  |  |   vmovups 0x20(%r12),%ymm1
 |  |           |  |  |  |   vmovups %ymm1,-0x20(%rbx,%rcx,1)
 |  |           |  |  |  |   vmovups %ymm0,-0x40(%rbx,%rcx,1)
 |  |           |  |  |  |   vmovdqu (%r12),%ymm0
 |  |           |  |  |  |   vmovdqu 0x20(%r12),%ymm1
 |  |           |  |  |  |   vmovdqu %ymm1,0x20(%rbx,%rcx,1)
 |  |           |  |  |  |   vmovdqu %ymm0,(%rbx,%rcx,1)
 |  |           |  |  |  |   add    $0x200,%rcx
 |  |           |  |  |  |   add    $0xfffffffffffffff8,%rax
 |  |           |  |  |  \-- jne
 |  |           |  |  |      cmpq   $0x0,0x28(%rsp)
 |  |           |  +--|----- je
 |  |           |  |  \----> add    %r14,%rcx
 |  |           |  |         xor    %eax,%eax
 |  |           |  |         nopw   0x0(%rax,%rax,1)
 |  |           |  |     /-> vmovdqu (%r12),%ymm0
 |  |           |  |     |   vmovdqu 0x20(%r12),%ymm1
 |  |           |  |     |   vmovdqu %ymm1,0x20(%rcx,%rax,1)
 |  |           |  |     |   vmovdqu %ymm0,(%rcx,%rax,1)
 |  |           |  |     |   add    $0x40,%rax
 |  |           |  |     |   cmp    %rax,%r15
 |  |           |  |     \-- jne
 |  |           |  \-------- jmp
 |  |           \----------> movq   $0x10,0x50(%rsp)
 |  |                        cmpl   $0x1,(%rsi)
 |  |                 /----- jne
 |  |                 |      cmp    %rcx,0x88(%rsi)
 |  |                 |  /-- jne
 |  |                 |  |   cmp    %rax,0x90(%rsi)
 |  |                 |  +-- jne
 |  |                 |  |   cmp    %r15,0x98(%rsi)
 |  |                 +--|-- je
 |  |                 |  \-> movq   $0x0,(%rsi)
 |  |                 \----> lea    0x50(%rsp),%rdx
 |  |                        mov    %rsi,%rdi
 |  |                        mov    %rbx,%rsi
 |  |                        call   <core::option::Option<T>::get_or_insert_with>
 |  |                        mov    0x98(%rax),%rdi
 |  |                        test   %rdi,%rdi
 |  |  /-------------------- je
 |  |  |                     mov    %rax,%rcx
 |  |  |                     vbroadcasti128 (%rax),%ymm0
 |  |  |                     vbroadcasti128 0x40(%rax),%ymm1
 |  |  |                     mov    0x8(%rbx),%rsi
 |  |  |                     mov    0x18(%rbx),%rax
 |  |  |                     mov    %rax,0x8(%rsp)
 |  |  |                     mov    0x20(%rbx),%r11
 |  |  |                     mov    %r11,%rax
 |  |  |                     or     %rdi,%rax
 |  |  |                     shr    $0x20,%rax
 |  |  |              /----- je
 |  |  |              |      mov    %r11,%rax
 |  |  |              |      xor    %edx,%edx
 |  |  |              |      div    %rdi
 |  |  |              |  /-- jmp
 |  |  |              \--|-> mov    %r11d,%eax
 |  |  |                 |   xor    %edx,%edx
 |  |  |                 |   div    %edi
 |  |  |                 \-> cmp    $0x1,%rdx
 |  |  |                     sbb    $0xffffffffffffffff,%rax
 |  |  |                     cmp    $0x2,%rax
 |  |  |                     mov    %r11,0x10(%rsp)
 |  |  |              /----- jb
 |  |  |              |      mov    0x8(%rsp),%rdx
 |  |  |              |      mov    %rsi,%r9
 |  |  |              |      nopl   (%rax)
 |  |  |              |  /-> cmpq   $0x10,0xa8(%rcx)
 |  |  |           /--|--|-- jne
 |  |  |           |  |  |   mov    0xa0(%rcx),%rdi
 |  |  |           |  |  |   lea    (%r9,%rdi,1),%r10
 |  |  |           |  |  |   vmovdqu (%r9),%xmm2
 |  |  |           |  |  |   vinserti128 $0x1,(%r9,%rdi,1),%ymm2,%ymm2
 |  |  |           |  |  |   vpshufb %ymm0,%ymm2,%ymm2
 |  |  |           |  |  |   vpor   %ymm1,%ymm2,%ymm2
 |  |  |           |  |  |   vmovdqu %ymm2,(%rdx)
 |  |  |           |  |  |   prefetcht0 0x400(%rdx)
 |  |  |           |  |  |   add    %rdi,%r10
 |  |  |           |  |  |   add    $0x20,%rdx
 |  |  |           |  |  |   add    $0xfffffffffffffffe,%rax
 |  |  |           |  |  |   mov    %r10,%r9
 |  |  |           |  |  |   cmp    $0x1,%rax
 |  |  |           |  |  \-- ja
 |  |  |           |  |  /-- jmp
 |  |  |           |  \--|-> mov    %rsi,%r10
 |  |  |           |     |   mov    0x8(%rsp),%rdx
 |  |  |           |     \-> mov    %r10,%r9
 |  |  |           |         test   %rax,%rax
 |  |  |           |         mov    $0x1,%eax
 |  |  |           |         mov    %r14,%r10
 |  |  |        /--|-------- je
 |  |  |        |  |         cmp    $0x1,%rax
 |  |  |        |  |     /-- jne
 |  |  |        |  |  /--|-- jmp
 |  |  |        |  \--|--|-> mov    %r14,%r10
 |  |  |        |     |  |   cmp    $0x1,%rax
 |  |  |        |     +--|-- je
 |  |  |        |     |  \-> mov    %rax,%rdi
 |  |  |        |     |      and    $0xfffffffffffffffe,%rdi
 |  |  |        |     |      nop
 |  |  |        |     |  /-> vmovdqu (%r9),%xmm2
 |  |  |        |     |  |   vpshufb %xmm0,%xmm2,%xmm2
 |  |  |        |     |  |   vpor   %xmm2,%xmm1,%xmm2
 |  |  |        |     |  |   vmovdqu %xmm2,(%rdx)
 |  |  |        |     |  |   mov    0xa0(%rcx),%r10
 |  |  |        |     |  |   mov    0xa8(%rcx),%r11
 |  |  |        |     |  |   vmovdqu (%r9,%r10,1),%xmm2
 |  |  |        |     |  |   add    %r10,%r9
 |  |  |        |     |  |   vpshufb %xmm0,%xmm2,%xmm2
 |  |  |        |     |  |   vpor   %xmm2,%xmm1,%xmm2
 |  |  |        |     |  |   vmovdqu %xmm2,(%rdx,%r11,1)
 |  |  |        |     |  |   add    %r11,%rdx
 |  |  |        |     |  |   add    0xa0(%rcx),%r9
 |  |  |        |     |  |   add    0xa8(%rcx),%rdx
 |  |  |        |     |  |   add    $0xfffffffffffffffe,%rdi
 |  |  |        |     |  \-- jne
 |  |  |        |     |      test   $0x1,%al
 |  |  |        |     |      mov    %r14,%r10
 |  |  |        |     |      mov    0x10(%rsp),%r11
 |  |  |        +-----|----- je
 |  |  |        |     \----> vmovdqu (%r9),%xmm2
 |  |  |        |            vpshufb %xmm0,%xmm2,%xmm2
 |  |  |        |            vpor   %xmm2,%xmm1,%xmm2
 |  |  |        |            vmovdqu %xmm2,(%rdx)
 |  |  |        \----------> mov    0x38(%rbx),%rax
 |  |  |                     mov    %rax,0x40(%rsp)
 |  |  |                     cmp    $0x2,%rax
 +--|--|-------------------- jb
 |  |  |                     imul   %r11,%r10
 |  |  |                     mov    %r10,%rdx
 |  |  |                     sub    %r15,%rdx
 |  |  |                     mov    0x48(%rbx),%r9
 |  |  |                     mov    %r15,%r8
 |  |  |                     mov    (%rbx),%r15
 |  |  |                     add    $0x18,%r15
 |  |  |                     mov    %r9,%rdi
 |  |  |                     shr    $0x6,%rdi
 |  |  |                     mov    %r9d,%eax
 |  |  |                     and    $0x3f,%eax
 |  |  |                     cmp    $0x1,%rax
 |  |  |                     sbb    $0xffffffffffffffff,%rdi
 |  |  |                     mov    0x40(%rbx),%rax
 |  |  |                     mov    %rax,0x18(%rsp)
 |  |  |                     mov    %edi,%r12d
 |  |  |                     and    $0x7,%r12d
 |  |  |                     movabs $0x7fffffffffffff8,%rax
 |  |  |                     mov    %rdi,0x38(%rsp)
 |  |  |                     and    %rdi,%rax
 |  |  |                     mov    %rax,0x28(%rsp)
 |  |  |                     mov    0x8(%rsp),%rax
 |  |  |                     lea    (%rdx,%rax,1),%rbp
 |  |  |                     add    $0x1c0,%rbp
 |  |  |                     add    %r9,%r10
 |  |  |                     sub    %r8,%r10
 |  |  |                     mov    %rdx,0x20(%rsp)
 |  |  |                     lea    (%rax,%rdx,1),%r13
 |  |  |                     mov    %r12,0x30(%rsp)
 |  |  |                     shl    $0x6,%r12d
 |  |  |                     mov    $0x1,%ebx
 |  |  |                 /-- jmp
 |  |  |                 |   data16 data16 data16 cs nopw 0x0(%rax,%rax,1)
 |  |  |  /--------------|-> vmovdqu (%r14),%xmm2
 |  |  |  |              |   vpshufb %xmm0,%xmm2,%xmm2
 |  |  |  |              |   vpor   %xmm2,%xmm1,%xmm2
 |  |  |  |              |   vmovdqu %xmm2,(%rdx)
 |  |  |  |  /-----------|-> inc    %rbx
 |  |  |  |  |           |   add    %r10,%rbp
 |  |  |  |  |           |   add    %r10,%r13
 |  |  |  |  |           |   cmp    0x40(%rsp),%rbx
 |  |  |  |  |           |   mov    %r8,%r9
 +--|--|--|--|-----------|-- je
 |  |  |  |  |           \-> mov    0x8(%rsp),%r14
 |  |  |  |  |               add    0x20(%rsp),%r14
 |  |  |  |  |               cmp    $0x21,%r9
 |  |  |  |  |           /-- jb
 |  |  |  |  |           |   cmpq   $0x8,0x38(%rsp)
 |  |  |  |  |        /--|-- jae
 |  |  |  |  |        |  |   xor    %edx,%edx
 |  |  |  |  |     /--|--|-- jmp
 |  |  |  |  |     |  |  |   nopl   0x0(%rax,%rax,1)
 |  |  |  |  |     |  |  \-> test   %r9,%r9
 |  |  |  |  |  /--|--|----- je
 |  |  |  |  |  |  |  |      vmovdqu (%r15),%ymm2
 |  |  |  |  |  |  |  |      vmovdqu %ymm2,(%r14)
 |  |  |  |  |  +--|--|----- jmp
 |  |  |  |  |  |  |  |      nopl   0x0(%rax,%rax,1)
 |  |  |  |  |  |  |  \----> mov    0x28(%rsp),%rax
 |  |  |  |  |  |  |         xor    %edx,%edx
 |  |  |  |  |  |  |         nopw   0x0(%rax,%rax,1)
 |  |  |  |  |  |  |     /-> vmovups (%r15),%ymm2
 |  |  |  |  |  |  |     |   vmovups 0x20(%r15),%ymm3
 |  |  |  |  |  |  |     |   vmovups %ymm3,-0x1a0(%rbp,%rdx,1)
 |  |  |  |  |  |  |     |   vmovups %ymm2,-0x1c0(%rbp,%rdx,1)
 |  |  |  |  |  |  |     |   vmovups (%r15),%ymm2
 |  |  |  |  |  |  |     |   vmovups 0x20(%r15),%ymm3
 |  |  |  |  |  |  |     |   vmovups %ymm3,-0x160(%rbp,%rdx,1)
 |  |  |  |  |  |  |     |   vmovups %ymm2,-0x180(%rbp,%rdx,1)
 |  |  |  |  |  |  |     |   vmovups (%r15),%ymm2
 |  |  |  |  |  |  |     |   vmovups 0x20(%r15),%ymm3
 |  |  |  |  |  |  |     |   vmovups %ymm3,-0x120(%rbp,%rdx,1)
 |  |  |  |  |  |  |     |   vmovups %ymm2,-0x140(%rbp,%rdx,1)
 |  |  |  |  |  |  |     |   vmovups (%r15),%ymm2
 |  |  |  |  |  |  |     |   vmovups 0x20(%r15),%ymm3
 |  |  |  |  |  |  |     |   vmovups %ymm3,-0xe0(%rbp,%rdx,1)
 |  |  |  |  |  |  |     |   vmovups %ymm2,-0x100(%rbp,%rdx,1)
 |  |  |  |  |  |  |     |   vmovups (%r15),%ymm2
 |  |  |  |  |  |  |     |   vmovups 0x20(%r15),%ymm3
 |  |  |  |  |  |  |     |   vmovups %ymm3,-0xa0(%rbp,%rdx,1)
 |  |  |  |  |  |  |     |   vmovups %ymm2,-0xc0(%rbp,%rdx,1)
 |  |  |  |  |  |  |     |   vmovups (%r15),%ymm2
 |  |  |  |  |  |  |     |   vmovups 0x20(%r15),%ymm3
 |  |  |  |  |  |  |     |   vmovups %ymm3,-0x60(%rbp,%rdx,1)
 |  |  |  |  |  |  |     |   vmovups %ymm2,-0x80(%rbp,%rdx,1)
 |  |  |  |  |  |  |     |   vmovups (%r15),%ymm2
 |  |  |  |  |  |  |     |   vmovups 0x20(%r15),%ymm3
 |  |  |  |  |  |  |     |   vmovups %ymm3,-0x20(%rbp,%rdx,1)
 |  |  |  |  |  |  |     |   vmovups %ymm2,-0x40(%rbp,%rdx,1)
 |  |  |  |  |  |  |     |   vmovdqu (%r15),%ymm2
 |  |  |  |  |  |  |     |   vmovups 0x20(%r15),%ymm3
 |  |  |  |  |  |  |     |   vmovups %ymm3,0x20(%rbp,%rdx,1)
 |  |  |  |  |  |  |     |   vmovdqu %ymm2,0x0(%rbp,%rdx,1)
 |  |  |  |  |  |  |     |   add    $0x200,%rdx
 |  |  |  |  |  |  |     |   add    $0xfffffffffffffff8,%rax
 |  |  |  |  |  |  |     \-- jne
 |  |  |  |  |  |  |         cmpq   $0x0,0x30(%rsp)
 |  |  |  |  |  +--|-------- je
 |  |  |  |  |  |  \-------> add    %r13,%rdx
 |  |  |  |  |  |            xor    %eax,%eax
 |  |  |  |  |  |            data16 data16 cs nopw 0x0(%rax,%rax,1)
 |  |  |  |  |  |        /-> vmovdqu (%r15),%ymm2
 |  |  |  |  |  |        |   vmovups 0x20(%r15),%ymm3
 |  |  |  |  |  |        |   vmovups %ymm3,0x20(%rdx,%rax,1)
 |  |  |  |  |  |        |   vmovdqu %ymm2,(%rdx,%rax,1)
 |  |  |  |  |  |        |   add    $0x40,%rax
 |  |  |  |  |  |        |   cmp    %rax,%r12
 |  |  |  |  |  |        \-- jne
 |  |  |  |  |  \----------> mov    0x98(%rcx),%rdi
 |  |  |  |  |               test   %rdi,%rdi
 |  |  +--|--|-------------- je
 |  |  |  |  |               mov    %r11,%rax
 |  |  |  |  |               or     %rdi,%rax
 |  |  |  |  |               shr    $0x20,%rax
 |  |  |  |  |        /----- je
 |  |  |  |  |        |      mov    %r11,%rax
 |  |  |  |  |        |      xor    %edx,%edx
 |  |  |  |  |        |      div    %rdi
 |  |  |  |  |        |  /-- jmp
 |  |  |  |  |        |  |   data16 cs nopw 0x0(%rax,%rax,1)
 |  |  |  |  |        \--|-> mov    %r11d,%eax
 |  |  |  |  |           |   xor    %edx,%edx
 |  |  |  |  |           |   div    %edi
 |  |  |  |  |           \-> mov    %r9,%r8
 |  |  |  |  |               add    %r9,%r14
 |  |  |  |  |               add    0x18(%rsp),%rsi
 |  |  |  |  |               cmp    $0x1,%rdx
 |  |  |  |  |               sbb    $0xffffffffffffffff,%rax
 |  |  |  |  |               cmp    $0x2,%rax
 |  |  |  |  |               mov    %r14,0x8(%rsp)
 |  |  |  |  |        /----- jb
 |  |  |  |  |        |      mov    %r14,%rdx
 |  |  |  |  |        |      mov    %rsi,%r14
 |  |  |  |  |        |      nopl   0x0(%rax,%rax,1)
 |  |  |  |  |        |  /-> cmpq   $0x10,0xa8(%rcx)
 |  |  |  |  |     /--|--|-- jne
 |  |  |  |  |     |  |  |   mov    0xa0(%rcx),%r9
 |  |  |  |  |     |  |  |   lea    (%r14,%r9,1),%rdi
 |  |  |  |  |     |  |  |   vmovdqu (%r14),%xmm2
 |  |  |  |  |     |  |  |   vinserti128 $0x1,(%r14,%r9,1),%ymm2,%ymm2
 |  |  |  |  |     |  |  |   vpshufb %ymm0,%ymm2,%ymm2
 |  |  |  |  |     |  |  |   vpor   %ymm1,%ymm2,%ymm2
 |  |  |  |  |     |  |  |   vmovdqu %ymm2,(%rdx)
 |  |  |  |  |     |  |  |   prefetcht0 0x400(%rdx)
 |  |  |  |  |     |  |  |   add    %r9,%rdi
 |  |  |  |  |     |  |  |   add    $0x20,%rdx
 |  |  |  |  |     |  |  |   add    $0xfffffffffffffffe,%rax
 |  |  |  |  |     |  |  |   mov    %rdi,%r14
 |  |  |  |  |     |  |  |   cmp    $0x1,%rax
 |  |  |  |  |     |  |  \-- ja
 |  |  |  |  |     |  |  /-- jmp
 |  |  |  |  |     |  |  |   nopl   0x0(%rax,%rax,1)
 |  |  |  |  |     |  \--|-> mov    %rsi,%rdi
 |  |  |  |  |     |     |   mov    %r14,%rdx
 |  |  |  |  |     |     \-> mov    %rdi,%r14
 |  |  |  |  |     |         test   %rax,%rax
 |  |  |  |  |     |         mov    $0x1,%eax
 |  |  |  |  +-----|-------- je
 |  |  |  |  |     \-------> cmp    $0x1,%rax
 |  |  |  +--|-------------- je
 |  |  |  |  |               mov    %rsi,%r11
 |  |  |  |  |               mov    %r10,%rsi
 |  |  |  |  |               mov    %rax,%rdi
 |  |  |  |  |               and    $0xfffffffffffffffe,%rdi
 |  |  |  |  |               xchg   %ax,%ax
 |  |  |  |  |           /-> vmovdqu (%r14),%xmm2
 |  |  |  |  |           |   vpshufb %xmm0,%xmm2,%xmm2
 |  |  |  |  |           |   vpor   %xmm2,%xmm1,%xmm2
 |  |  |  |  |           |   vmovdqu %xmm2,(%rdx)
 |  |  |  |  |           |   mov    0xa0(%rcx),%r9
 |  |  |  |  |           |   mov    0xa8(%rcx),%r10
 |  |  |  |  |           |   vmovdqu (%r14,%r9,1),%xmm2
 |  |  |  |  |           |   add    %r9,%r14
 |  |  |  |  |           |   vpshufb %xmm0,%xmm2,%xmm2
 |  |  |  |  |           |   vpor   %xmm2,%xmm1,%xmm2
 |  |  |  |  |           |   vmovdqu %xmm2,(%rdx,%r10,1)
 |  |  |  |  |           |   add    %r10,%rdx
 |  |  |  |  |           |   add    0xa0(%rcx),%r14
 |  |  |  |  |           |   add    0xa8(%rcx),%rdx
 |  |  |  |  |           |   add    $0xfffffffffffffffe,%rdi
 |  |  |  |  |           \-- jne
 |  |  |  |  |               test   $0x1,%al
 |  |  |  |  |               mov    %rsi,%r10
 |  |  |  |  |               mov    %r11,%rsi
 |  |  |  |  |               mov    0x10(%rsp),%r11
 |  |  |  \--|-------------- jne
 |  |  |     \-------------- jmp
 |  \--|-------------------> add    %rdi,%rbp
 |     |                     add    %r9,%r13
 |     |                     test   %r8,%r8
 |     |              /----- je
 |     |              |      add    %r8,%rdx
 |     |              |      sub    %r15,%rdx
 |     |              |      dec    %rsi
 |     |              |      lea    0x50(%rsp),%r15
 |     |              |  /-> vmovdqu (%r12),%ymm0
 |     |              |  |   vmovdqu %ymm0,0x0(%r13)
 |     |              |  |   lea    (%r8,%r13,1),%rax
 |     |              |  |   mov    %rax,0x68(%rsp)
 |     |              |  |   mov    %rbp,0x58(%rsp)
 |     |              |  |   mov    %r15,%rdi
 |     |              |  |   mov    %rdx,%rbx
 |     |              |  |   mov    %rsi,%r14
 |     |              |  |   vzeroupper
 |     |              |  |   call   <<pad_kernels::kernel::vector::x86::Avx2 as pad_kernels::kernel::vector::Vector>::cells::{{closure}}>
 |     |              |  |   mov    0x20(%rsp),%r8
 |     |              |  |   mov    %r14,%rsi
 |     |              |  |   mov    %rbx,%rdx
 |     |              |  |   add    0x8(%rsp),%rbp
 |     |              |  |   add    %rbx,%r13
 |     |              |  |   dec    %rsi
 |     |              |  \-- jne
 +-----|--------------|----- jmp
 |     |              \----> dec    %rsi
 |     |                     lea    0x50(%rsp),%r14
 |     |                     nopl   (%rax)
 |     |                 /-> mov    %r13,0x68(%rsp)
 |     |                 |   mov    %rbp,0x58(%rsp)
 |     |                 |   mov    %r14,%rdi
 |     |                 |   mov    %rsi,%rbx
 |     |                 |   call   <<pad_kernels::kernel::vector::x86::Avx2 as pad_kernels::kernel::vector::Vector>::cells::{{closure}}>
 |     |                 |   mov    %rbx,%rsi
 |     |                 |   add    0x8(%rsp),%rbp
 |     |                 |   add    0x18(%rsp),%r13
 |     |                 |   dec    %rsi
 |     |                 \-- jne
 \-----|-------------------> add    $0xa8,%rsp
       |                     pop    %rbx
       |                     pop    %r12
       |                     pop    %r13
       |                     pop    %r14
       |                     pop    %r15
       |                     pop    %rbp
       |                     vzeroupper
       |                     ret
       \-------------------> lea    0x82fd5(%rip),%rdi
                             vzeroupper
                             call   *0xad1bc(%rip)
