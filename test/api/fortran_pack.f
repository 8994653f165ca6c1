c     Packing and unpacking from Fortran: every type, encodings, strides,
c     what is wrong.
      program packing
      implicit none
      include 'fpvm3.h'
      integer info, me, bufid, bytes, tag, tid, i, j, what
      integer*1 b1(6), c1(6)
      integer*2 i2(6), j2(6)
      integer*4 i4(6), j4(6)
      integer*8 i8(6), j8(6)
      real*4 r4(6), s4(6)
      real*8 r8(6), s8(6)
      complex*8 c8(6), d8(6)
      complex*16 c16(6), d16(6)
      character*20 text
      character*5 words(3)
      integer enc(3)
      data enc / PVMDATADEFAULT, PVMDATARAW, PVMDATAINPLACE /

      call pvmfmytid(me)
      do i = 1, 6
        b1(i) = i - 3
        i2(i) = 1000 * (i - 3)
        i4(i) = 100000 * (i - 3)
        i8(i) = 100000 * i
        r4(i) = 0.5 * i
        r8(i) = 0.25d0 * i
        c8(i) = cmplx(i, -i)
        c16(i) = dcmplx(i, -2 * i)
      end do

      do j = 1, 3
        call area('encoding')
        call see('encoding', enc(j))
        call pvmfinitsend(enc(j), bufid)
        call pvmfpack(STRING, 'some text   ', 12, 1, info)
        call see('pack STRING', info)
        call pvmfpack(BYTE1, b1, 3, 2, info)
        call see('pack BYTE1', info)
        call pvmfpack(INTEGER2, i2, 3, 2, info)
        call see('pack INTEGER2', info)
        call pvmfpack(INTEGER4, i4, 6, 1, info)
        call see('pack INTEGER4', info)
        call pvmfpack(INTEGER8, i8, 3, 2, info)
        call see('pack INTEGER8', info)
        call pvmfpack(REAL4, r4, 2, 3, info)
        call see('pack REAL4', info)
        call pvmfpack(REAL8, r8, 3, 2, info)
        call see('pack REAL8', info)
        call pvmfpack(COMPLEX8, c8, 3, 2, info)
        call see('pack COMPLEX8', info)
        call pvmfpack(COMPLEX16, c16, 3, 2, info)
        call see('pack COMPLEX16', info)
        call pvmfgetsbuf(bufid)
        call pvmfbufinfo(bufid, bytes, tag, tid, info)
        call see('bufinfo', info)
        call see('bytes', bytes)
        call pvmfsend(me, 7, info)
        call see('send', info)
        call pvmfrecv(-1, 7, bufid)
        call pvmfbufinfo(bufid, bytes, tag, tid, info)
        call see('bytes', bytes)
        call see('tag', tag)
        text = 'xxxxxxxxxxxxxxxxxxxx'
        call pvmfunpack(STRING, text, 12, 1, info)
        call see('unpack STRING', info)
        call seetext('text', text)
        c1 = 0
        call pvmfunpack(BYTE1, c1, 3, 1, info)
        call see('unpack BYTE1', info)
        write (*, '(6(I0,1X))') c1
        j2 = 0
        call pvmfunpack(INTEGER2, j2, 3, 2, info)
        call see('unpack INTEGER2', info)
        write (*, '(6(I0,1X))') j2
        j4 = 0
        call pvmfunpack(INTEGER4, j4, 6, 1, info)
        call see('unpack INTEGER4', info)
        write (*, '(6(I0,1X))') j4
        j8 = 0
        call pvmfunpack(INTEGER8, j8, 3, 1, info)
        call see('unpack INTEGER8', info)
        write (*, '(6(I0,1X))') j8
        s4 = 0
        call pvmfunpack(REAL4, s4, 2, 1, info)
        call see('unpack REAL4', info)
        write (*, '(6(F6.2,1X))') s4
        s8 = 0
        call pvmfunpack(REAL8, s8, 3, 2, info)
        call see('unpack REAL8', info)
        write (*, '(6(F6.2,1X))') s8
        d8 = 0
        call pvmfunpack(COMPLEX8, d8, 3, 1, info)
        call see('unpack COMPLEX8', info)
        write (*, '(12(F6.2,1X))') d8
        d16 = 0
        call pvmfunpack(COMPLEX16, d16, 3, 1, info)
        call see('unpack COMPLEX16', info)
        write (*, '(12(F6.2,1X))') d16
        call pvmfunpack(BYTE1, c1, 1, 1, info)
        call see('unpack at the end', info)
      end do
      call area('strings')
      call pvmfinitsend(PVMDATADEFAULT, bufid)
      words(1) = 'one'
      words(2) = 'two'
      words(3) = 'three'
      call pvmfpack(STRING, words, 15, 1, info)
      call see('three words', info)
      call pvmfpack(STRING, words, 3, 5, info)
      call see('first letters', info)
      call pvmfpack(STRING, words, 0, 1, info)
      call see('nothing', info)
      call pvmfgetsbuf(bufid)
      call pvmfbufinfo(bufid, bytes, tag, tid, info)
      call see('bytes', bytes)
      call pvmfsend(me, 8, info)
      call pvmfrecv(me, 8, bufid)
      text = 'xxxxxxxxxxxxxxxxxxxx'
      call pvmfunpack(STRING, text, 15, 1, info)
      call see('unpack', info)
      call seetext('text', text)
      call pvmfunpack(STRING, text, 3, 5, info)
      call see('unpack', info)
      call seetext('text', text)
      call pvmfunpack(STRING, text, 0, 1, info)
      call see('unpack', info)
      call pvmfunpack(STRING, text, 1, 1, info)
      call see('unpack', info)
      call area('errors')
      do what = -2, 13
        call pvmfinitsend(PVMDATADEFAULT, bufid)
        info = 77
        call pvmfpack(what, i8, 1, 1, info)
        call see('pack type', what)
        call see('result', info)
        call pvmfgetsbuf(bufid)
        call pvmfbufinfo(bufid, bytes, tag, tid, info)
        call see('bytes', bytes)
        call pvmfsend(me, 9, info)
        call pvmfrecv(-1, 9, bufid)
        info = 77
        call pvmfunpack(what, j8, 1, 1, info)
        call see('unpack', info)
      end do
      call pvmfinitsend(PVMDATADEFAULT, bufid)
      call pvmfpack(INTEGER4, i4, -1, 1, info)
      call see('pack -1 items', info)
      call pvmfpack(INTEGER4, i4, 0, 1, info)
      call see('pack 0 items', info)
      call pvmfpack(INTEGER4, i4, 2, 0, info)
      call see('pack stride 0', info)
      call pvmfpack(INTEGER4, i4(6), 2, -1, info)
      call see('pack stride -1', info)
      call pvmfgetsbuf(bufid)
      call pvmfbufinfo(bufid, bytes, tag, tid, info)
      call see('bytes', bytes)
      call pvmfsend(me, 10, info)
      call pvmfrecv(me, 10, bufid)
      call pvmfunpack(INTEGER4, i4, -1, 1, info)
      call see('unpack -1 items', info)
      call pvmfunpack(INTEGER4, i4, 0, 1, info)
      call see('unpack 0 items', info)
      call pvmfunpack(INTEGER4, i4, 2, 0, info)
      call see('unpack stride 0', info)
      call pvmfunpack(INTEGER4, i4(6), 2, -1, info)
      call see('unpack stride -1', info)
      write (*, '(6(I0,1X))') i4
      call pvmfsetsbuf(0, bufid)
      call pvmfpack(INTEGER4, i4, 1, 1, info)
      call see('pack without a buffer', info)
      call pvmfsetrbuf(0, bufid)
      call pvmfunpack(INTEGER4, i4, 1, 1, info)
      call see('unpack without a buffer', info)
      call pvmfinitsend(PVMDATAINPLACE, bufid)
      call pvmfpack(INTEGER4, i4, 2, 2, info)
      call see('in place with stride', info)
      call pvmfpack(STRING, 'hello', 5, 1, info)
      call see('text in place', info)
      i8(1) = 4294967296_8
      call pvmfinitsend(PVMDATADEFAULT, bufid)
      call pvmfpack(INTEGER8, i8, 1, 1, info)
      call see('pack 2**32', info)
      call pvmfexit(info)
      call see('exit', info)
      end
      include 'observe.f'
